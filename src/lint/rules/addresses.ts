/** Rules for addresses: positions that don't fit the delivery zone, and addresses of no one. */
import { contains, readArea } from '../../pictures/map/area.ts';
import { idsIn, nameOf, numberIn } from '../account.ts';
import { type Rule, wrong } from '../rule.ts';

const square = [
  [46.6, 24.7],
  [46.7, 24.7],
  [46.7, 24.8],
  [46.6, 24.8],
  [46.6, 24.7],
];

export const addressRules: readonly Rule[] = [
  {
    name: 'address-outside-zone',
    severity: 'warning',
    summary: 'Addresses outside of their delivery zone',
    reason: 'The order goes to a branch that does not deliver there.',
    on: { addresses: ['name', 'latitude', 'longitude', 'delivery_zone'] },
    needs: { delivery_zones: ['name', 'coordinates'] },
    each(row, { account }) {
      const zone = account.find('delivery_zones', idsIn(row.delivery_zone)[0]);
      const [latitude, longitude] = [numberIn(row.latitude), numberIn(row.longitude)];
      if (!zone || latitude === undefined || longitude === undefined) return undefined;
      const { rings } = account.derived(`area of ${zone.id}`, () => readArea(zone.coordinates));
      if (rings.length === 0 || contains(rings, [longitude, latitude])) return undefined;
      const resource = account.api.resource('delivery_zones');
      return wrong(
        `The position ${latitude}, ${longitude} is outside of ${resource ? nameOf(zone, resource) : zone.id}.`,
        'update',
        '--delivery-zone-id',
        'ZONE',
      );
    },
    bad: {
      addresses: [{ name: 'Home', latitude: '24.9', longitude: '46.65', delivery_zone: { id: 'north' } }],
      delivery_zones: [{ id: 'north', name: 'North', coordinates: square }],
    },
    good: { latitude: '24.75' },
  },
];
