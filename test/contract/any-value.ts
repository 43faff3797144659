/** Values for fields of every kind, valid for some kinds and invalid for others, to compare validators with each other. */
import { fc } from '../harness/fast-check.ts';

const ring = [
  [46.67, 24.7],
  [46.69, 24.7],
  [46.69, 24.72],
  [46.67, 24.7],
];

/** Values of every shape, valid for some kinds of field and invalid for the others. */
export const values: readonly unknown[] = [
  ...[null, true, false, 0, 1, 2, 7, 8, 12, 24, 25, 99, 100, 101, -1, 1.5, 2 ** 53, -1e300],
  ...['', 'word', '2.5', '-3', '91', '0x10', '1e5', ' 1', '09:30', '24:00', '24:01', '9'],
  ...['2026-11-20', '2026-02-30', '20 November', '2026-11-20 08:30:00', '2026-11-20 24:00:00'],
  ...['new_transfer_order', 'orders:read', 'kg'],
  ...[[], ['word'], ['new_transfer_order'], [1], [99], [1.5], {}, { id: 'a' }, [{ id: 'a' }], [{ id: '' }]],
  ...[[{ id: 'a', quantity: 1 }], [{ id: 'a', cost_per_unit: 1 }], [{ id: 'a', quantity: '1' }], ['']],
  ...[
    [46.7, 24.7],
    [200, 24.7],
    ring,
    ring.slice(1, 3),
    ring.toReversed().slice(1),
    [['x', 'y']],
    [[1, 2, 3]],
  ],
];

const text = fc.oneof(
  fc.string(),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
);
const number = fc.oneof(
  fc.integer({ min: -3, max: 130 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
);
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const link = fc.dictionary(fc.constantFrom('id', 'quantity', 'cost_per_unit', 'amount'), scalar);
export const anything = fc.oneof(
  scalar,
  fc.array(scalar),
  fc.array(link),
  fc.array(fc.array(number)),
  fc.jsonValue(),
);
