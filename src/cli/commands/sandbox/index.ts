/** `boh sandbox`: runs and controls the embedded service. */

import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { splitList } from '../../../api/contract/comma-list.ts';
import { type Scope, scopeNames } from '../../../api/contract/scope.ts';
import { readMoment } from '../../../api/contract/typed-text.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { decimalPattern, describeInexactness } from '../../../base/number-text.ts';
import { didYouMean } from '../../../base/suggest.ts';
import { eventTypes, type NotificationEvent } from '../../../sandbox/business/events.ts';
import { checkSettings, settings as definitions, type Setting } from '../../../sandbox/business/settings.ts';
import { type MovementKind, movementRules } from '../../../sandbox/business/stock.ts';
import { checkSandboxFile } from '../../../sandbox/check.ts';
import { type ClockData, controlOperations } from '../../../sandbox/control/operations.ts';
import type { Sandbox } from '../../../sandbox/service.ts';
import { controlServices } from '../../../testing/apply.ts';
import type { Context } from '../../context/context.ts';
import { present } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { wrapWords } from '../../terminal/width.ts';
import type { Command } from '../command.ts';
import { createCommand, groupCommand } from '../declare.ts';
import { type FlagsOf, orNone, repeated } from '../flags/flag-table.ts';
import { control, serverUrl } from './control.ts';
import { faultsCommand } from './faults.ts';
import { dumpCommand, requestsCommand } from './requests.ts';
import { resetCommand, snapshotCommand } from './reset.ts';
import { runCommand } from './run.ts';
import { parseChanges, serveCommand } from './serve.ts';
import {
  changeSandbox,
  type NamedOptions,
  nameFlag,
  requireSandboxFile,
  sandboxName,
  serverFlag,
  withSandbox,
} from './with-sandbox.ts';

/** Returns the command `boh sandbox` with its subcommands. */
export function sandboxCommand(context: Context): Command {
  const about =
    'Run and control the embedded sandbox: a demo restaurant on this machine that follows the rules of the API.';
  return groupCommand('sandbox', about, [
    serveCommand(context),
    runCommand(context),
    createCommand(context, {
      name: 'status',
      summary: 'Show the records, file and clock of a sandbox',
      about: 'Show the records of a sandbox, its file and its clock.',
      flags: [serverFlag],
      run: (_, options) => showStatus(options, context),
    }),
    createCommand(context, {
      name: 'check',
      summary: 'Check the file of a sandbox for damage',
      about: 'Check the file of a sandbox for damage. Exits with 8 if it is damaged.',
      flags: [nameFlag],
      run: (_, options) => checkSandbox(options, context),
    }),
    resetCommand(context),
    snapshotCommand(context),
    createCommand(context, {
      name: 'token',
      summary: 'Print an access token',
      about: 'Print an access token for scripts. It is valid while its user exists.',
      flags: tokenFlags,
      examples: ['BOH_TOKEN=$(boh sandbox token --scopes customers.list,customers.get)'],
      run: (_, options) => createToken(options, context),
    }),
    createCommand(context, {
      name: 'order',
      summary: 'Place an order, as at a register',
      about: 'Place an order. It may earn loyalty credit for the customer.',
      flags: orderFlags,
      examples: [
        'boh sandbox order --customer "@Huda Al-Amin" --total 120',
        'boh sandbox order --customer "@Huda Al-Amin" --product "@Mixed Grill=2" --price 50',
      ],
      run: (_, options) => placeOrder(options, context),
    }),
    createCommand(context, {
      name: 'return',
      summary: 'Return an order, fully or in part',
      about: 'Return an order, fully or in part. This reduces the loyalty credit that it earned.',
      args: [['<order>', 'the ID of the order']],
      flags: [
        ['--amount <amount>', 'the amount to return', { parse: amountParser('--amount'), isRequired: true }],
        nameFlag,
      ],
      run: async ([orderId], options) => {
        const { amount } = options;
        const id = await changeSandbox(context, options, (sandbox) => sandbox.returnOrder(orderId, amount));
        const text = `Recorded return ${id} of order ${orderId}.`;
        return { kind: 'data', data: { id, order_id: orderId }, text, completedWrite: { message: text } };
      },
    }),
    createCommand(context, {
      name: 'stock',
      about: 'Move stock in ways that have no API endpoint.',
      args: [['<kind>', movementKinds.join(', ')]],
      flags: stockFlags,
      examples: ['boh sandbox stock purchasing --branch branch-riverside --item @SKU-001 --quantity 12'],
      run: ([kind], options) => moveStock(kind, options, context),
    }),
    createCommand(context, {
      name: 'settings',
      summary: 'Show and change settings of the business and its service',
      about: 'Show or change settings of the business and its service.',
      args: [['[changes...]', 'NAME=VALUE, for example loyaltyDelayInHours=0']],
      flags: [serverFlag],
      examples: [
        'boh sandbox settings loyaltyDelayInHours=0 loyaltyRewardMinimum=100',
        'boh sandbox settings set wire.relations=absent wire.page_size=10',
      ],
      run: ([changes], options) => changeSettings(changes, options, context),
    }).addHelpText('after', formatSettingsHelp()),
    createCommand(context, {
      name: 'events',
      summary: 'Show notification events',
      about: 'Show notification events in the order they were recorded, with the notified users.',
      flags: [
        ['--follow', 'wait for new events; one JSON object per line for scripts'],
        ['--type <type>', 'only this type', { parse: (text: string) => parseType(text, context) }],
        nameFlag,
      ],
      run: (_, options) =>
        withSandbox(context, options, (sandbox) =>
          present(context, options.follow ? follow(sandbox, options, context) : listEvents(sandbox, options)),
        ),
    }),
    clockCommand(context),
    faultsCommand(context),
    requestsCommand(context),
    dumpCommand(context),
  ]);
}

const tokenFlags = [
  ['--scopes <a,b>', 'the scopes of the token (default: all)'],
  ['--user <id>', 'the user of the token, by ID or @NAME (default: the owner)'],
  nameFlag,
] as const;

const repeatedAmounts = {
  parse: (text: string, previous: readonly number[] = []) => [...previous, amountParser('--price')(text)],
  default: [] as readonly number[],
  defaultText: 'none',
};

const orderFlags = [
  ['--customer <id>', 'the customer, by ID or @NAME', { isRequired: true }],
  [
    '--total <amount>',
    'the final price (default: the sum of the products)',
    { parse: amountParser('--total') },
  ],
  [
    '--product <id=quantity>',
    'a product, by ID or @NAME, such as "@Mixed Grill=2" (repeatable)',
    { ...repeated, ...orNone },
  ],
  ['--price <amount>', 'the price of one product; once for all, or once for each', repeatedAmounts],
  ['--at <time>', '"2026-11-20 12:30:00" in UTC, or 3h for three hours ago (default: now)'],
  serverFlag,
] as const;

const movementKinds = Object.keys(movementRules).map((kind) => kind.replaceAll('_', '-'));

const stockFlags = [
  ['--branch <id>', 'the branch, by ID or @NAME', { isRequired: true }],
  ['--item <id>', 'the inventory item, by ID or @SKU', { isRequired: true }],
  [
    '--quantity <number>',
    'the quantity, in storage units',
    { parse: amountParser('--quantity'), isRequired: true },
  ],
  ['--supplier <id>', 'the supplier, by ID or @NAME; its minimum order quantity applies'],
  nameFlag,
] as const;

/** Returns a function that parses the number of a flag. `flag` is the flag's name for the error message. */
function amountParser(flag: string): (text: string) => number {
  return (text) => {
    if (!decimalPattern.test(text) || describeInexactness(text) !== undefined) {
      throw usage(`${flag} ${text} isn't a number. Write it like 120 or 12.50.`);
    }
    return Number(text);
  };
}

async function showStatus(options: NamedOptions, context: Context): Promise<Result> {
  const name = serverUrl(options, context) ?? (await sandboxName(context, options));
  const status = { name, ...(await control(controlOperations.status, {}, options, context)) };
  const lines = [
    `Sandbox  ${status.name}`,
    `File     ${status.file} (${Math.ceil(status.bytes / 1024)} KB)`,
    `Clock    ${status.clock.now} UTC${status.clock.is_frozen ? ', stopped' : ''}`,
    `Faults   ${status.fault_rules === 0 ? 'none' : `${status.fault_rules} rules`}`,
    '',
    ...Object.entries(status.records).map(([name, { active, deleted }]) => {
      const deletedText = deleted > 0 ? `  (${deleted} deleted)` : '';
      return `${String(active).padStart(7)}  ${name.replaceAll('_', ' ')}${deletedText}`;
    }),
  ];
  return { kind: 'data', data: status, text: lines.join('\n') };
}

async function checkSandbox(options: NamedOptions, context: Context): Promise<Result> {
  const { api, signal } = context;
  const name = await sandboxName(context, options);
  const file = await requireSandboxFile(context, options);
  if (!existsSync(file)) throw usage(`Sandbox "${name}" not found.`, { hint: `Its file would be ${file}.` });
  const problems = await checkSandboxFile({ api, file, signal });
  const isUndamaged = problems.length === 0;
  const text = isUndamaged ? `No damage found in the sandbox "${name}".` : problems.join('\n');
  const failure = new Failure('unavailable', `The sandbox "${name}" is damaged.`, {
    hint: boh.hint`To rename ${file} and create a new one: ${boh.plain('sandbox reset', '--name', name)}. To list snapshots: ${boh.plain('sandbox snapshot list')}`,
  });
  return {
    kind: 'data',
    data: { name, file, is_undamaged: isUndamaged, problems },
    text,
    expectedFailure: isUndamaged ? undefined : failure,
  };
}

async function createToken(options: FlagsOf<typeof tokenFlags>, context: Context): Promise<Result> {
  const scopes = options.scopes === undefined ? scopeNames : await parseScopes(options.scopes);
  const { idOf } = controlServices(context.signal);
  const token = await withSandbox(context, options, async (sandbox) => {
    const userId = options.user === undefined ? undefined : await idOf(sandbox, 'users', options.user);
    const create = () => sandbox.createToken({ scopes, ...(userId !== undefined && { userId }) });
    return sandbox.whenUnlocked(create, { signal: context.signal });
  });
  return { kind: 'text', text: `${token}\n`, isSecret: true };
}

async function parseScopes(text: string): Promise<Scope[]> {
  const names = splitList(text);
  const unknownScope = names.find((name) => !(scopeNames as string[]).includes(name));
  if (unknownScope === undefined) return names as Scope[];
  throw usage(`Unknown scope ${unknownScope}.${didYouMean(unknownScope, scopeNames)}`, {
    hint: `The scopes are ${scopeNames.join(', ')}.`,
  });
}

async function placeOrder(options: FlagsOf<typeof orderFlags>, context: Context): Promise<Result> {
  const { customer, total, at, product, price: prices } = options;
  if (prices.length !== product.length && prices.length !== 1 && product.length > 0)
    throw usage('Pass --price once for all products, or once for each.');
  const products = product.map((text, index) => {
    const [, name = text, quantity = '1'] = /^(.+)=([\d.]+)$/.exec(text) ?? [];
    const price = prices[index] ?? prices[0] ?? 0;
    return { product: name, quantity: amountParser('--product')(quantity), price };
  });
  const order = await control(
    controlOperations.placeOrder,
    { customer, total, products, at },
    options,
    context,
  );
  const transaction = order.loyalty_transaction_id;
  const loyaltyText = transaction === null ? 'no loyalty' : `the loyalty transaction ${transaction}`;
  return {
    kind: 'data',
    data: order,
    text: `Placed order ${order.id}. It earned ${loyaltyText}.`,
    completedWrite: { message: `Placed order ${order.id}.` },
  };
}

async function moveStock(
  kind: string,
  options: FlagsOf<typeof stockFlags>,
  context: Context,
): Promise<Result> {
  const { quantity } = options;
  const { idOf } = controlServices(context.signal);
  const ids = await withSandbox(context, options, async (sandbox) => {
    const item = await idOf(sandbox, 'inventory_items', options.item);
    const branch = await idOf(sandbox, 'branches', options.branch);
    const supplierId = options.supplier && (await idOf(sandbox, 'suppliers', options.supplier));
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

async function changeSettings(
  changes: readonly string[],
  options: NamedOptions,
  context: Context,
): Promise<Result> {
  const newValues = parseChanges(changes) as Record<string, string | number>;
  // The schema of the request would drop a name such as __proto__.
  checkSettings(newValues);
  const settings = await (changes.length === 0
    ? control(controlOperations.settings, {}, options, context)
    : control(controlOperations.changeSettings, newValues, options, context));
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  return {
    kind: 'data',
    data: settings,
    text: lines.join('\n'),
    ...(changes.length > 0 && { completedWrite: { message: 'Settings changed.' } }),
  };
}

function formatSettingsHelp(): string {
  const lines = Object.entries<Setting>(definitions).flatMap(([name, { about, unit, initial }]) => [
    `  ${name}`,
    ...wrapWords(`${about} (${unit}; default: ${initial})`, 74).map((line) => `      ${line}`),
  ]);
  return `\nSettings:\n${lines.join('\n')}`;
}

/** Returns the command `boh sandbox clock` with its subcommands. */
function clockCommand(context: Context): Command {
  const { clock, changeClock, resetClock } = controlOperations;
  return createCommand(context, {
    name: 'clock',
    summary: 'Show, set, move or stop the clock',
    about: 'Show or change the time of a sandbox.',
    flags: [serverFlag],
    examples: ['boh sandbox clock advance 26h'],
    subcommands: [
      createCommand(context, {
        name: 'set',
        about: 'Set the clock; it continues from that time',
        args: [['<time>', '"2026-11-20 08:30:00" in UTC, "Friday 6pm", or ISO 8601 with a zone']],
        flags: [serverFlag],
        run: async ([time], options) =>
          clockResult(await control(changeClock, { set: toUtcTime(time) }, options, context), true),
      }),
      createCommand(context, {
        name: 'advance',
        about: 'Move the clock forward',
        args: [['<duration>', 'for example 90s, 15m, 26h or 7d']],
        flags: [serverFlag],
        run: async ([advance], options) =>
          clockResult(await control(changeClock, { advance }, options, context), true),
      }),
      createCommand(context, {
        name: 'freeze',
        about: 'Stop the clock',
        args: [['[time]', 'the time to stop at (default: now)']],
        flags: [serverFlag],
        run: async ([freeze = true], options) =>
          clockResult(await control(changeClock, { freeze }, options, context), true),
      }),
      createCommand(context, {
        name: 'unfreeze',
        about: 'Start the clock again',
        flags: [serverFlag],
        run: async (_, options) =>
          clockResult(await control(changeClock, { freeze: false }, options, context), true),
      }),
      createCommand(context, {
        name: 'reset',
        about: 'Set the clock to the time of this machine',
        flags: [serverFlag],
        run: async (_, options) => clockResult(await control(resetClock, {}, options, context), true),
      }),
    ],
    run: async (_, options) => clockResult(await control(clock, {}, options, context)),
  });
}

function clockResult(data: ClockData, isChanged = false): Result {
  const { now, is_frozen: isFrozen, ahead_seconds: aheadSeconds } = data;
  const suffix = isFrozen ? ', stopped' : aheadSeconds === 0 ? '' : ` (${describeOffset(aheadSeconds)})`;
  const text = `${now} UTC${suffix}`;
  return {
    kind: 'data',
    data,
    text,
    ...(isChanged && { completedWrite: { message: `Clock set to ${text}.` } }),
  };
}

function describeOffset(seconds: number): string {
  const hours = Math.abs(seconds) / 3600;
  return `${Math.round(hours * 10) / 10} h ${seconds > 0 ? 'ahead of' : 'behind'} this machine`;
}

/** Returns a time with words, such as "Friday 6pm", as a timestamp in UTC. Days begin at midnight UTC, as in all times of the clock. */
function toUtcTime(text: string): string {
  const now = new Date();
  const utcDay = new Date(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  return readMoment(text, utcDay).replace(/^(\S{10} \d\d:\d\d)$/, '$1:00');
}

/** The interval at which `--follow` reads new events. */
const followIntervalMs = 200;

function listEvents(sandbox: Sandbox, { type }: { type?: string }): Result {
  const rows = [...allEvents(sandbox)].filter((event) => isOfType(event, type)).map(rowOf);
  return { kind: 'data', data: rows, columns, emptyNote: 'No events yet.' };
}

const columns = [
  { name: 'at', header: 'time', isIndivisible: true },
  { name: 'type', minWidth: 20, show: (type: unknown) => String(type).replaceAll('_', ' ') },
  { name: 'branch.name', header: 'branch', rank: 1 },
  { name: 'subject.id', header: 'record', isIndivisible: true },
  { name: 'notified', rank: 2 },
];

/** Yields new events until the command is interrupted. */
function follow(sandbox: Sandbox, { type }: { type?: string }, { signal }: Context): Result {
  async function* liveEvents() {
    let lastSequence = 0;
    while (!signal.aborted) {
      for (const event of allEvents(sandbox, lastSequence)) {
        lastSequence = event.sequence;
        if (isOfType(event, type)) yield { data: rowOf(event), line: lineOf(event) };
      }
      await sleep(followIntervalMs, undefined, { signal }).catch(() => {});
    }
  }
  return { kind: 'live', events: liveEvents() };
}

function* allEvents(sandbox: Sandbox, since = 0): Generator<NotificationEvent> {
  for (let lastSequence = since; ; ) {
    const events = sandbox.events(lastSequence);
    yield* events;
    const lastEvent = events.at(-1);
    if (lastEvent === undefined) return;
    lastSequence = lastEvent.sequence;
  }
}

function isOfType(event: NotificationEvent, type: string | undefined): boolean {
  return type === undefined || event.type === type;
}

function rowOf(event: NotificationEvent) {
  return { ...event, notified: event.users.map(({ name }) => name).join(', ') };
}

function lineOf({ at, type, branch, subject, users }: NotificationEvent): string {
  const notified = users.map(({ name }) => name).join(', ');
  return `${at}  ${type}  ${branch.name}  ${subject.resource} ${subject.id}  notified: ${notified}`;
}

function parseType(text: string, { api }: Context): string {
  const name = text.replaceAll('-', '_');
  const types = eventTypes(api);
  if (types.includes(name)) return name;
  throw usage(`Unknown event type ${text}.`, { hint: `Event types: ${types.join(', ')}.` });
}
