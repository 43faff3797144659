/** The business itself, as `whoami` tells of it. */
import { dayLength, writeMoment } from '../calendar.ts';
import { idFrom } from '../ids.ts';
import { writeFact } from '../store/facts.ts';
import type { DemoWriter } from './demo-writer.ts';

export function addBusiness({ database, tables, userId }: DemoWriter, now: number): void {
  const { addons, licenses } = tables.api.account?.fields.business?.traits.fields ?? {};
  const booked = Object.keys(licenses?.traits.fields ?? {});
  writeFact(database, 'business', {
    id: idFrom('business'),
    name: 'Saffron Table',
    country_iso_code: 'SA',
    owner_id: userId,
    owner_email: 'nadia@example.com',
    reference: 871_400,
    trial_ends_at: null,
    has_pending_invoice: false,
    has_service_pay: false,
    addons: addons?.traits.allowed ?? [],
    licenses: Object.fromEntries(booked.map((device, index) => [device, index < 3 ? 3 : 1])),
    is_blocked: false,
    created_at: writeMoment(now - 400 * dayLength),
    updated_at: writeMoment(now - 30 * dayLength),
    plan: 2,
    type: 1,
  });
}
