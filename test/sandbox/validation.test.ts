/** Tests the values that the sandbox accepts and refuses, by field, and that refused requests change nothing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, openClient } from './client.ts';
import { existingId } from './examples.ts';
import { refusals } from './refused-fields.ts';

let client: Client;
beforeAll(async () => {
  client = await openClient();
});
afterAll(() => client.sandbox.close());

const { refused, customer, event, item } = refusals(() => client);

describe('kinds of value', () => {
  it('are validated strictly', () => {
    expect(customer({ dial_code: '966' })).toEqual(['dial_code']);
    expect(customer({ dial_code: 1.5 })).toEqual(['dial_code']);
    expect(customer({ dial_code: 2 ** 53 })).toEqual(['dial_code']);
    expect(customer({ phone: 551234567 })).toEqual(['phone']);
    expect(customer({ is_blacklisted: 1 })).toEqual(['is_blacklisted']);
    expect(customer({ gender: 3 })).toEqual(['gender']);
    expect(customer({ birth_date: '2024-02-30' })).toEqual(['birth_date']);
    expect(customer({ birth_date: '2024-02-29' })).toEqual([]);
    expect(customer({ tags: 'x' })).toEqual(['tags']);
    expect(customer({ tags: [{ id: 1 }] })).toEqual(['tags.0.id']);
    expect(customer({ tags: [{ id: 'x', extra: 1 }] })).toEqual(['tags.0.extra']);
    expect(customer({ name: 'a\u0000b' })).toEqual(['name']);
    expect(customer({ name: '\ud800' })).toEqual(['name']);
  });

  it('accept null only if the API document allows it', () => {
    expect(customer({ email: null, gender: null })).toEqual([]);
    expect(customer({ phone: null, is_blacklisted: null })).toEqual(['phone', 'is_blacklisted']);
  });

  it('accept hours as numbers and as text', () => {
    for (const hour of [0, 9, 24, '9', '09:00', '09:30', '23:59:59', '24:00'])
      expect(event({ from_time: hour })).toEqual([]);
    for (const hour of [-1, 25, 9.5, '25', '24:30', 'noon', '', true])
      expect(event({ from_time: hour })).toEqual(['from_time']);
  });

  it('accept units by name and by number', () => {
    expect(item({ ingredient_unit: 4 })).toEqual([]);
    expect(item({ ingredient_unit: 'ml' })).toEqual([]);
    expect(item({ ingredient_unit: '' })).toEqual(['ingredient_unit']);
    expect(item({ ingredient_unit: 1.5 })).toEqual(['ingredient_unit']);
    const { data } = client.get('/inventory_items?filter[name]=An item').json;
    expect(data.map(({ ingredient_unit }: { ingredient_unit: unknown }) => ingredient_unit)).toEqual([
      4,
      'ml',
    ]);
  });

  it('accept numbers only as text for fields that the API document defines as text', () => {
    expect(item({ minimum_level: '2.5', par_level: '0' })).toEqual([]);
    expect(item({ minimum_level: 2.5 })).toEqual(['minimum_level']);
    for (const text of ['many', '0x10', '1e5', ' 1', '', 'Infinity']) {
      expect([text, item({ minimum_level: text })]).toEqual([text, ['minimum_level']]);
    }
    expect(refused('/addresses', { latitude: '91' })).toEqual(['latitude']);
  });

  it('accept any order type, but no unknown authority or notification', () => {
    expect(event({ order_types: [1, 2, 99] })).toEqual([]);
    expect(event({ order_types: ['dine in'] })).toEqual(['order_types.0']);
    expect(refused('/roles', { name: 'A role', authorities: ['orders:read', 'all'] })).toEqual([
      'authorities.1',
    ]);
    const user = { name: 'A user', lang: 'en', notifications: ['everything'] };
    expect(refused('/users', user)).toEqual(['notifications.0']);
  });
});

describe('boundaries of delivery zones', () => {
  const ring = [
    [46.6, 24.7],
    [46.7, 24.7],
    [46.7, 24.8],
    [46.6, 24.7],
  ];
  const zone = (coordinates: unknown) => refused('/delivery_zones', { name: 'A zone', coordinates });
  const createZone = (coordinates: unknown) =>
    client.post('/delivery_zones', { name: 'A zone', coordinates }).json.data.coordinates;

  it('are closed rings, or a pair', () => {
    expect(zone(ring)).toEqual([]);
    for (const invalid of [
      ring.slice(0, 3),
      [...ring, [1, 1]],
      [
        [200, 0],
        [0, 0],
        [0, 1],
        [200, 0],
      ],
      [],
      ['a', 'b'],
      [1, 2, 3],
      [46, 100],
    ]) {
      expect(zone(invalid)).toEqual(['coordinates']);
    }
  });

  it('are returned as closed rings', () => {
    expect(createZone(ring)).toEqual(ring);
    expect(createZone([46.6, 24.7])).toEqual(Array(4).fill([46.6, 24.7]));
    expect(createZone(null)).toBeNull();
  });
});

describe('the limits of the API document', () => {
  it('apply to the value of timed events', () => {
    const limits: [type: number, taken: number[], refused: number[]][] = [
      [1, [0, 5], [-0.1]],
      [2, [0.1], [0, -1]],
      [3, [0.1, 99.9], [0, 100]],
      [4, [0.1], [0, -1]],
      [5, [0.1, 99.9], [0, 100]],
      [6, [0], []],
    ];
    for (const [type, taken, invalidValues] of limits) {
      for (const value of taken) expect(event({ type, value })).toEqual([]);
      for (const value of invalidValues) expect(event({ type, value })).toEqual(['value']);
    }
    expect(event({ type: 8 })).toEqual(['type']);
  });

  it('apply if an update sends only one of two fields', () => {
    const { data } = client.get('/timed_events?filter[type]=1').json;
    const target = `/timed_events/${data[0].id}`;
    client.put(target, { value: 150 });
    expect(Object.keys(client.put(target, { type: 3 }).json.errors)).toEqual(['value']);
    expect(client.put(target, { type: 3, value: 15 }).status).toBe(200);
  });
});

describe('a request', () => {
  it('gets all of its errors at once', () => {
    const { status, json } = client.post('/categories', {
      name: '',
      image: 5,
      reference: 'CAT-01',
      discounts: [{}],
      color: 'red',
    });
    expect(status).toBe(422);
    expect(json).toEqual({
      message: 'The given data was invalid.',
      errors: {
        color: ['The color field is unknown.'],
        name: ['The name field is required.'],
        image: ['The image field must be a string.'],
        'discounts.0.id': ['The discounts.0.id field must be a string.'],
        reference: ['The reference field has already been taken.'],
      },
    });
  });

  it('that is refused changes nothing', () => {
    const counts = () => client.sandbox.status().records;
    const before = counts();
    client.post('/customers', { name: 'Half', tags: [{ id: 'none' }] });
    const id = existingId(client, 'suppliers');
    const supplier = client.get(`/suppliers/${id}`).json;
    client.put(`/suppliers/${id}`, { name: 'Changed', tags: [{ id: 'none' }] });
    expect(client.get(`/suppliers/${id}`).json).toEqual(supplier);
    expect(counts()).toEqual(before);
  });

  it('of an update changes only the sent fields', () => {
    const id = existingId(client, 'suppliers');
    const before = client.get(`/suppliers/${id}`).json.data;
    const after = client.put(`/suppliers/${id}`, { contact_name: 'Omar' }).json.data;
    expect(after).toEqual({ ...before, contact_name: 'Omar', updated_at: after.updated_at });
  });

  it('never returns PINs and passwords', () => {
    const user = { name: 'A user', lang: 'en', pin: '8642', password: 'correct horse' };
    const response = client.post('/users', user);
    expect(response.status).toBe(201);
    expect(JSON.stringify(response.json)).not.toMatch(/8642|horse/);
    expect(JSON.stringify(client.sandbox.database.all('SELECT * FROM users'))).not.toContain('horse');
  });
});
