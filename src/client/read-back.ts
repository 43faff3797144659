/** The record of a write that was answered without it: with `Location`, as HTTP has it, or with nothing. */
import { Failure } from '../base/errors.ts';
import { operation } from '../contract/operation.ts';
import type { Answered } from './answer.ts';
import { type Call, pathFor } from './request.ts';
import type { HttpAnswer } from './transport.ts';
import { isOther } from './write-answer.ts';

/**
 * Reads the record as it stands now. The write is done in any case: where it can't be read, the failure says so and
 * is `unreported`.
 */
export async function readBack(
  written: Call,
  { headers }: HttpAnswer,
  get: (call: Call) => Promise<Answered>,
): Promise<Answered> {
  const { operation: write } = written;
  const { noun, command } = write.resource;
  const id = written.ids?.[0] ?? idIn(headers.location, written);
  const done = `The ${noun} was ${write.done}`;
  const read = operation(write.resource, 'get');
  if (id === undefined || !read) {
    throw unshown(`${done}, but the service doesn’t say as which record.`, `See it: boh ${command} list`);
  }
  const include = write.link ? [write.link.field] : undefined;
  const unread = (why: string) =>
    unshown(`${done} (${id}), but it could not be read back: ${why}`, `See it: boh ${command} get ${id}`);
  try {
    const answered = await get({ operation: read, ids: [id], ...(include && { query: { include } }) });
    if (isOther(answered.record, [id])) throw unread('The service answered with another record.');
    return answered;
  } catch (error) {
    const isTold = error instanceof Failure && error.category === 'unreported';
    if (!(error instanceof Failure) || isTold || error.category === 'interrupted') throw error;
    throw unread(error.message);
  }
}

/** Only the id is taken from the address: it may name another host, and is not followed. */
function idIn(location: string | undefined, { operation: { resource } }: Call): string | undefined {
  const read = operation(resource, 'get');
  if (location === undefined || !read || !URL.canParse(location, 'http://localhost')) return undefined;
  const path = new URL(location, 'http://localhost').pathname.replace(/\/+$/, '');
  const last = path.slice(path.lastIndexOf('/') + 1);
  try {
    const id = decodeURIComponent(last);
    return id !== '' && path.endsWith(pathFor(read, [id])) ? id : undefined;
  } catch {
    return undefined;
  }
}

function unshown(message: string, hint: string): Failure {
  return new Failure('unreported', message, { outcome: 'done', hint });
}
