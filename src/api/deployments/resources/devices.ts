/** Devices: registers, displays and other devices of the branches. */
import { one, text } from '../../contract/field.ts';
import { readOnly } from './read-only.ts';

/** The fields and filters of devices. */
export const devices = readOnly({
  path: '/devices',
  one: 'device',
  group: 'account',
  summary: 'Registers, displays and other devices',
  key: ['reference'],
  exampleKey: 'Till 1, Riverside',
  fields: () => ({
    reference: text().nullable().describe('Your own reference code'),
    branch: one('branches').nullable().includable().describe('Branch of the device'),
  }),
});
