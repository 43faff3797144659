/** What keeps the writes of a command in the history. Loaded with the first of them. */
import { newRunId } from '../../bulk/ledger/run-id.ts';
import { secretsIn } from '../../child-process.ts';
import { headFileOf, journalFile } from '../../history/journal/place.ts';
import { Recorder } from '../../history/recording/recorder.ts';
import { tellLasting } from '../../interaction/confirming/tell-lasting.ts';
import type { Context } from '../../interaction/context.ts';
import { coveredLine } from '../../interaction/input/covered-line.ts';
import { inPlace } from '../../interaction/where.ts';
import { mask } from '../../mask.ts';
import { accountPlace } from '../../session/file-owner.ts';
import type { Settings } from '../../settings/settings.ts';
import { note, warn } from '../../terminal/messages.ts';

/** Too short to be told from any other text. */
const shortestSecret = 8;

/** Covers the secrets of the settings and of the environment, wherever they stand in a text. */
export function hiding(
  { token, clientSecret }: Settings,
  { env }: Pick<Context, 'env'>,
): (text: string) => string {
  const own = [token, clientSecret].flatMap((secret) => secret?.reveal() ?? []);
  const secrets = [...own.filter((secret) => secret.length >= shortestSecret), ...secretsIn(env)];
  return (text) =>
    secrets.some((secret) => text.includes(secret))
      ? secrets.reduce((shown, secret) => shown.replaceAll(secret, mask), text)
      : text;
}

export function recorderFor(settings: Settings, context: Context): Recorder {
  const { api, argv, env, kept, signal, streams } = context;
  const { history, profile } = settings;
  const hide = hiding(settings, context);
  const recorder = new Recorder({
    api,
    file: journalFile(env, accountPlace(settings)),
    headFile: headFileOf(env, accountPlace(settings)),
    line: hide(coveredLine(argv, api)),
    run: newRunId(context.now()),
    profile: profile ?? null,
    account: {
      business: settings.businessId,
      businessName: settings.businessName,
      userName: settings.userName,
    },
    undoing: kept.undoing,
    isReadBefore: history.before,
    isRequired: history.required,
    hide,
    onProblem: (sentence) => warn(streams, inPlace(sentence, context)),
    onWait: (sentence) => note(streams, sentence),
    signal,
    onRead: (write) => tellLasting([write], context),
    onKept: (number, run) => {
      kept.count++;
      kept.number = number;
      kept.run = run;
    },
    now: () => context.now().getTime(),
  });
  kept.finish.push(() => recorder.finish());
  return recorder;
}
