/** `boh sandbox events`: the notification events, as they were recorded or as they come. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { usage } from '../../errors.ts';
import { notificationTypes } from '../../resources/notification-types.ts';
import type { Event } from '../../sandbox/business/events.ts';
import type { Sandbox } from '../../sandbox/service.ts';
import { cleanText } from '../../terminal/clean.ts';
import { jsonText } from '../../terminal/formats/json.ts';
import { write } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';
import { prepare } from '../prepare.ts';
import { outputName } from '../showing/output.ts';
import { type NamedOptions, nameOption, withSandbox } from './named.ts';
import { showRows } from './show.ts';

interface EventsOptions extends NamedOptions {
  follow?: boolean;
  type?: string;
}

/** How often `--follow` looks, in milliseconds. */
const pace = 200;

export function eventsCommand(context: Context): Command {
  return prepare(new Command('events'))
    .description('Show the notification events, oldest first: what happened, where, and who was told.')
    .addOption(new Option('--follow', 'wait for more, until stopped; machines get one JSON object a line'))
    .addOption(new Option('--type <type>', 'of this type alone').argParser(readType))
    .addOption(nameOption())
    .action((options: EventsOptions) =>
      withSandbox(context, options, (sandbox) =>
        options.follow ? follow(sandbox, options, context) : list(sandbox, options, context),
      ),
    );
}

async function list(sandbox: Sandbox, { type }: EventsOptions, context: Context): Promise<void> {
  const rows = [...everyEvent(sandbox)].filter((event) => isWanted(event, type)).map(rowOf);
  await showRows(context, rows, ['at', 'type', 'branch.name', 'subject.id', 'told'], 'No events yet.');
}

/** Being stopped is how it ends. */
async function follow(sandbox: Sandbox, { type }: EventsOptions, context: Context): Promise<void> {
  const { streams, signal } = context;
  const isForPeople = (await outputName(context)) === 'table';
  const print = (event: Event) =>
    write(streams.stdout, isForPeople ? `${cleanText(lineOf(event))}\n` : `${jsonText(rowOf(event))}\n`);
  let seen = 0;
  while (!signal.aborted) {
    for (const event of everyEvent(sandbox, seen)) {
      seen = event.sequence;
      if (isWanted(event, type)) await print(event);
    }
    await sleep(pace, undefined, { signal }).catch(() => {});
  }
}

function* everyEvent(sandbox: Sandbox, since = 0): Generator<Event> {
  for (let seen = since; ; ) {
    const events = sandbox.events(seen);
    yield* events;
    const last = events.at(-1);
    if (last === undefined) return;
    seen = last.sequence;
  }
}

function isWanted(event: Event, type: string | undefined): boolean {
  return type === undefined || event.type === type;
}

function rowOf(event: Event) {
  return { ...event, told: event.users.map(({ name }) => name).join(', ') };
}

function lineOf({ at, type, branch, subject, users }: Event): string {
  const told = users.map(({ name }) => name).join(', ');
  return `${at}  ${type}  ${branch.name}  ${subject.resource} ${subject.id}  told: ${told}`;
}

function readType(text: string): string {
  const name = text.replaceAll('-', '_');
  if ((notificationTypes as string[]).includes(name)) return name;
  throw usage(`There is no event ${text}.`, { hint: `The events are ${notificationTypes.join(', ')}.` });
}
