/** `boh sandbox stock`: records stock movements that have no API endpoint, so that their events can be tested. */
import { Option } from 'commander';
import type { Context } from '../../context/context.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { type MovementKind, movementRules } from '../../sandbox/business/movements.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { createAmountParser } from './numbers.ts';
import { type NamedOptions, nameOption, resolveId, withSandbox } from './with-sandbox.ts';

interface StockOptions extends NamedOptions {
  branch: string;
  item: string;
  supplier?: string;
  quantity: number;
}

/** Returns the command `boh sandbox stock`. */
export function stockCommand(context: Context): Command {
  const kinds = Object.keys(movementRules).map((kind) => kind.replaceAll('_', '-'));
  return prepare(new Command('stock'))
    .description('Move stock in ways that have no API endpoint.')
    .argument('<kind>', kinds.join(', '))
    .addOption(new Option('--branch <id>', 'the branch, by ID or @NAME').makeOptionMandatory())
    .addOption(new Option('--item <id>', 'the inventory item, by ID or @SKU').makeOptionMandatory())
    .addOption(
      new Option('--quantity <number>', 'the quantity, in storage units')
        .argParser(createAmountParser('--quantity'))
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--supplier <id>', 'the supplier, by ID or @NAME; its minimum order quantity applies'),
    )
    .addOption(nameOption())
    .examples('boh sandbox stock purchasing --branch branch-riverside --item @SKU-001 --quantity 12')
    .action(
      createAction(context, (kind: string, options: StockOptions) => moveStock(kind, options, context)),
    );
}

async function moveStock(kind: string, options: StockOptions, context: Context): Promise<Result> {
  const { quantity } = options;
  const ids = await withSandbox(context, options, async (sandbox) => {
    const item = await resolveId(sandbox, 'inventory_items', options.item, options, context);
    const branch = await resolveId(sandbox, 'branches', options.branch, options, context);
    const supplierId =
      options.supplier && (await resolveId(sandbox, 'suppliers', options.supplier, options, context));
    // The sandbox refuses unknown kinds.
    const movementKind = kind.replaceAll('-', '_') as MovementKind;
    const move = () =>
      sandbox.moveStock({ kind: movementKind, branchId: branch, itemId: item, supplierId, quantity });
    await sandbox.whenUnlocked(move, { signal: context.signal });
    return { branch_id: branch, item_id: item };
  });
  const data = { kind, ...ids, quantity };
  const message = `Recorded ${kind}: ${quantity}.`;
  return { kind: 'data', data, text: message, completedWrite: { message } };
}
