/** `boh sandbox events`: lists notification events, or follows them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { present } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { eventTypes, type NotificationEvent } from '../../sandbox/business/events.ts';
import type { Sandbox } from '../../sandbox/service.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { type NamedOptions, nameOption, withSandbox } from './with-sandbox.ts';

interface EventsOptions extends NamedOptions {
  follow?: boolean;
  type?: string;
}

/** The interval at which `--follow` reads new events. */
const followIntervalMs = 200;

/** Returns the command `boh sandbox events`. */
export function eventsCommand(context: Context): Command {
  return prepare(new Command('events'))
    .description('Show notification events in the order they were recorded, with the notified users.')
    .addOption(new Option('--follow', 'wait for new events; one JSON object per line for scripts'))
    .addOption(
      new Option('--type <type>', 'only this type').argParser((text: string) => parseType(text, context)),
    )
    .addOption(nameOption())
    .action((options: EventsOptions) =>
      withSandbox(context, options, (sandbox) =>
        present(context, options.follow ? follow(sandbox, options, context) : listEvents(sandbox, options)),
      ),
    );
}

function listEvents(sandbox: Sandbox, { type }: EventsOptions): Result {
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
function follow(sandbox: Sandbox, { type }: EventsOptions, { signal }: Context): Result {
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
