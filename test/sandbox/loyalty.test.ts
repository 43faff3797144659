/** Tests the five loyalty rules of the API document, and redeeming rewards. */
import { beforeEach, describe, expect, it } from 'vitest';
import { dayMs, hourMs } from '../../src/sandbox/calendar.ts';
import { type Client, openClient, startOfTests } from './client.ts';

let client: Client;
let customer: string;
beforeEach(async () => {
  client = await openClient({ empty: true });
  client.sandbox.clock.freeze();
  client.sandbox.changeSettings({
    loyaltyMinimumOrderPrice: 50,
    loyaltyDelayInHours: 24,
    loyaltyRewardMinimum: 200,
    returnPeriodInDays: 14,
  });
  customer = client.post('/customers', { name: 'A guest', is_loyalty_enabled: true }).json.data.id;
  return () => client.sandbox.close();
});

const order = (total: number, placedAtMs?: number) =>
  client.sandbox.placeOrder({ customer, total, ...(placedAtMs !== undefined && { at: placedAtMs }) });
const wait = (hours: number) => client.sandbox.clock.advance(hours * hourMs);
const transactions = () => client.get(`/loyalty_transactions?filter[customer_id]=${customer}`).json.data;
const rewards = () => client.get(`/loyalty_rewards?filter[customer_id]=${customer}`).json.data;
const balance = () => client.get(`/customers/${customer}`).json.data.loyalty_balance;

describe('an order', () => {
  it('above the minimum creates a transaction', () => {
    const { id } = order(120);
    expect(transactions()).toMatchObject([
      {
        amount: 120,
        business_date: '2026-11-20',
        redeemable_at: '2026-11-21 12:00:00',
        is_redeemed: false,
        returns: null,
        customer: { id: customer },
        order: { id },
      },
    ]);
    expect(balance()).toBe(120);
  });

  it('below the minimum, or of a customer outside the program, creates no transaction', () => {
    expect(order(49.99).loyaltyTransactionId).toBeUndefined();
    expect(order(50).loyaltyTransactionId).toBeDefined();
    client.put(`/customers/${customer}`, { is_loyalty_enabled: false });
    expect(order(500).loyaltyTransactionId).toBeUndefined();
    expect(transactions()).toHaveLength(1);
  });

  it('is counted for its customer', () => {
    order(10, startOfTests - dayMs);
    order(10, startOfTests - 2 * dayMs);
    expect(client.get(`/customers/${customer}`).json.data).toMatchObject({
      order_count: 2,
      last_order_at: '2026-11-19 12:00:00',
    });
    expect(client.get('/customers?filter[has_orders]=true').json.data).toHaveLength(1);
  });

  it('requires an existing customer and a valid total', () => {
    expect(() => client.sandbox.placeOrder({ customer: 'missing', total: 1 })).toThrow('no customer');
    for (const total of [-1, Number.NaN, Infinity]) expect(() => order(total)).toThrow('total');
  });
});

describe('a reward', () => {
  it('is given when enough was earned and the delay is over', () => {
    order(120);
    wait(1);
    order(80);
    wait(23);
    expect([rewards().length, balance()]).toEqual([0, 200]);
    wait(1);
    expect(rewards()).toMatchObject([
      { type: 2, amount: 20, maximum_discount_amount: 20, valid_to: '2027-02-19', order: null },
    ]);
    expect(transactions().map((transaction: { is_redeemed: boolean }) => transaction.is_redeemed)).toEqual([
      true,
      true,
    ]);
    expect(balance()).toBe(0);
    wait(100);
    expect(rewards()).toHaveLength(1);
  });

  it("is not given for orders whose delay isn't over", () => {
    order(150);
    wait(23);
    order(150);
    wait(2);
    expect(rewards()).toHaveLength(0);
    wait(24);
    expect(rewards()).toHaveLength(1);
  });

  it('is given immediately if the delay is already over', () => {
    order(250, startOfTests - 2 * dayMs);
    expect([rewards().length, balance()]).toEqual([1, 0]);
    client.sandbox.changeSettings({ loyaltyDelayInHours: 0 });
    rewards();
    order(250);
    expect([rewards().length, balance()]).toEqual([2, 0]);
  });

  it('is given immediately when the settings require less', () => {
    order(120);
    wait(30);
    expect(rewards()).toHaveLength(0);
    client.sandbox.changeSettings({
      loyaltyRewardMinimum: 100,
      loyaltyRewardType: 1,
      loyaltyRewardAmount: 15,
    });
    expect(rewards()).toMatchObject([{ type: 1, amount: 15 }]);
  });

  it('is given after the clock was set back and forward again', () => {
    wait(72);
    client.get('/whoami');
    client.sandbox.clock.set(startOfTests);
    order(300);
    wait(25);
    expect(rewards()).toHaveLength(1);
  });
});

describe('redeeming a reward', () => {
  let reward: string;
  let orderId: string;
  beforeEach(() => {
    orderId = order(300).id;
    wait(25);
    [{ id: reward }] = rewards();
  });
  const use = (id: string) => client.get(`/loyalty_rewards/${reward}?order_id=${id}`);

  it('sets its order by GET, as in the API document', () => {
    expect(use(orderId).json.data.order).toEqual({ id: orderId });
    // In the API document, responses contain only the IDs of orders, included or not.
    const included = client.get(`/loyalty_rewards/${reward}?include=order`).json.data;
    expect(included.order).toEqual({ id: orderId });
    expect(client.get(`/loyalty_rewards?filter[order_id]=${orderId}`).json.data).toHaveLength(1);
  });

  it('sets its order by PUT, as in deployments', () => {
    const { status, json } = client.put(`/loyalty_rewards/${reward}`, { order_id: orderId });
    expect([status, json.data.order]).toEqual([200, { id: orderId }]);
  });

  it('with the same order again succeeds; with another order is refused', () => {
    use(orderId);
    expect(use(orderId).status).toBe(200);
    const { status, json } = use(order(10).id);
    expect([status, json.errors.order_id]).toEqual([422, [expect.stringContaining('another order')]]);
  });

  it('is refused for orders of other customers, and after its last valid day', () => {
    const otherCustomer = client.post('/customers', { name: 'Another' }).json.data.id;
    expect(use(client.sandbox.placeOrder({ customer: otherCustomer, total: 5 }).id).status).toBe(422);
    expect(use('nothing').status).toBe(422);
    expect(client.put(`/loyalty_rewards/${reward}`, {}).status).toBe(422);
    wait(91 * 24);
    expect(use(orderId).json.errors.order_id).toEqual([expect.stringContaining('no longer valid')]);
  });

  it('requires a separate scope', () => {
    const reader = client.with('customers.loyalty.read');
    expect(reader.get(`/loyalty_rewards/${reward}`).status).toBe(200);
    expect(reader.get(`/loyalty_rewards/${reward}?order_id=${orderId}`).status).toBe(403);
    expect(reader.put(`/loyalty_rewards/${reward}`, { order_id: orderId }).status).toBe(403);
  });
});

describe('a return', () => {
  it('within the period deducts its amount', () => {
    const { id } = order(100);
    wait(14 * 24);
    const returnId = client.sandbox.returnOrder(id, 40);
    expect(transactions()).toMatchObject([{ amount: 60, returns: [returnId] }]);
    expect(balance()).toBe(60);
  });

  it('after the period changes nothing', () => {
    const { id } = order(100);
    wait(14 * 24 + 1);
    client.sandbox.returnOrder(id, 40);
    expect(transactions()).toMatchObject([{ amount: 100, returns: null }]);
  });

  it("can't exceed the remaining amount of the order", () => {
    const { id } = order(100);
    client.sandbox.returnOrder(id, 60);
    expect(() => client.sandbox.returnOrder(id, 41)).toThrow('At most 40');
    client.sandbox.returnOrder(id, 40);
    expect(transactions()[0].amount).toBe(0);
    for (const amount of [0, -1, Number.NaN]) expect(() => client.sandbox.returnOrder(id, amount)).toThrow();
    expect(() => client.sandbox.returnOrder('nothing', 1)).toThrow('no order');
  });
});

describe('the loyalty settings', () => {
  it('are validated, and stored together or not at all', () => {
    const before = client.sandbox.settings();
    expect(() =>
      client.sandbox.changeSettings({ loyaltyDelayInHours: 1, loyaltyRewardMinimum: -1, color: 1 }),
    ).toThrow(/loyaltyRewardMinimum.*color/);
    expect(client.sandbox.settings()).toEqual(before);
    expect(client.sandbox.changeSettings({ loyaltyDelayInHours: 1 }).loyaltyDelayInHours).toBe(1);
  });
});
