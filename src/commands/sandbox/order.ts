/** `boh sandbox order` and `return`: place and return orders, which come from cash registers and apps, not from the API. */
import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { parseFilterTime } from '../../contract/date-time.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { createAmountParser } from './numbers.ts';
import { changeSandbox, type NamedOptions, nameOption, resolveId, withSandbox } from './with-sandbox.ts';

interface OrderOptions extends NamedOptions {
  customer: string;
  total: number;
  at?: string;
}

/** Returns the command `boh sandbox order`. */
export function orderCommand(context: Context): Command {
  return prepare(new Command('order'))
    .description('Place an order. It may earn loyalty credit for the customer.')
    .addOption(new Option('--customer <id>', 'the customer, by ID or @NAME').makeOptionMandatory())
    .addOption(
      new Option('--total <amount>', 'the final price')
        .argParser(createAmountParser('--total'))
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--at <time>', '"2026-11-20 12:30:00" in UTC, or 3h for three hours ago (default: now)'),
    )
    .addOption(nameOption())
    .examples('boh sandbox order --customer "@Huda Al-Amin" --total 120')
    .action(createAction(context, (options: OrderOptions) => placeOrder(options, context)));
}

async function placeOrder(options: OrderOptions, context: Context): Promise<Result> {
  const result = await withSandbox(context, options, async (sandbox) => {
    const customer = await resolveId(sandbox, 'customers', options.customer, options, context);
    const { total, at } = options;
    const time = at === undefined ? undefined : parseFilterTime(at, new Date(sandbox.clock.now()));
    if (at !== undefined && !time) {
      throw usage(`--at ${at} isn't a time. Write "2026-11-20 12:30:00" (UTC), or 3h for three hours ago.`);
    }
    const createOrder = () => sandbox.placeOrder({ customer, total, ...(time && { at: time.getTime() }) });
    return sandbox.whenUnlocked(createOrder, { signal: context.signal });
  });
  const { id, loyaltyTransactionId = null } = result;
  const loyaltyText =
    loyaltyTransactionId === null ? 'no loyalty' : `the loyalty transaction ${loyaltyTransactionId}`;
  return {
    kind: 'data',
    data: { id, loyalty_transaction_id: loyaltyTransactionId },
    text: `Placed order ${id}. It earned ${loyaltyText}.`,
    completedWrite: { message: `Placed order ${id}.` },
  };
}

interface ReturnOptions extends NamedOptions {
  amount: number;
}

/** Returns the command `boh sandbox return`. */
export function returnCommand(context: Context): Command {
  return prepare(new Command('return'))
    .description('Return an order, fully or in part. This reduces the loyalty credit that it earned.')
    .argument('<order>', 'the ID of the order')
    .addOption(
      new Option('--amount <amount>', 'the amount to return')
        .argParser(createAmountParser('--amount'))
        .makeOptionMandatory(),
    )
    .addOption(nameOption())
    .action(
      createAction(context, (orderId: string, options: ReturnOptions) =>
        returnOrder(orderId, options, context),
      ),
    );
}

async function returnOrder(orderId: string, options: ReturnOptions, context: Context): Promise<Result> {
  const id = await changeSandbox(context, options, (sandbox) => sandbox.returnOrder(orderId, options.amount));
  const text = `Recorded return ${id} of order ${orderId}.`;
  return { kind: 'data', data: { id, order_id: orderId }, text, completedWrite: { message: text } };
}
