/** What each kind of operation does. */
import type { Effect } from '../../contract/operation.ts';
import type { Call } from '../call.ts';
import type { ServiceResponse } from '../http/message.ts';
import { link, unlink } from './link.ts';
import { get, list } from './read.ts';
import { redeem } from './redeem.ts';
import { answerWhoami } from './whoami.ts';
import { create, remove, restore, update } from './write.ts';

const effects: Readonly<Record<Effect, (call: Call) => ServiceResponse>> = {
  list,
  get,
  create,
  update,
  delete: remove,
  restore,
  link,
  unlink,
  act: redeem,
};

export function perform(call: Call): ServiceResponse {
  return call.operation.resource.singleton ? answerWhoami(call) : effects[call.operation.effect](call);
}
