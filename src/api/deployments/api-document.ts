/** The preset for services that work as the API document says. Its values are the defaults of boh. */
import type { Deployment } from './deployment.ts';

/** A service as in the API document. */
export const apiDocument: Deployment = {
  name: 'api-document',
  title: 'As in the API document',
  summary: 'A service that works as the API document says, with the defaults of boh.',
  addresses: [],
  settings: {},
  variant: {},
};
