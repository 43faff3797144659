/** `boh restore-from DIR`: the records of a backup into an account, whichever it is. */
import { Command } from 'commander';
import { Failure, usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { presented } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { accountInUse, matchOwner, notOwner, profileOf } from '../../session/file-owner.ts';
import type { Session } from '../../session/session.ts';
import { placeOf } from '../../settings/settings.ts';
import { note } from '../../terminal/messages.ts';
import { ifDamaged, type Manifest, ownerOfBackup } from '../../transfer/backup/manifest.ts';
import { verifyBackup } from '../../transfer/backup/read-lines.ts';
import { backupSource } from '../../transfer/source.ts';
import { checkRunFlags } from '../bulk/check-run-flags.ts';
import { runSession } from '../bulk/run-session.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/any-account.ts';
import { listed, resourceOption, resourcesNamed } from '../flags/resource-flag.ts';
import { prepare } from '../prepare.ts';
import { runTransfer } from './run-transfer.ts';
import { addTransferFlags, givenReferences, type TransferFlags } from './transfer-flags.ts';

interface RestoreFlags extends TransferFlags, AnyAccountFlag {
  resource?: string[];
}

export function restoreFromCommand(context: Context): Command {
  const command = prepare(new Command('restore-from'))
    .argument('[folder]', 'where the backup is')
    .usage('<folder> [flags]')
    .description(
      'Bring the records of a backup into an account. In the account that they are from they are known by their ids; ' +
        'elsewhere by what people call them, and what isn’t there is made, with new ids. What would be written, and ' +
        'what can’t be, is shown first. Nothing that the account has besides is touched.',
    )
    .addOption(resourceOption().helpGroup('Records:'))
    .addOption(anyAccountOption().helpGroup('Records:'));
  addTransferFlags(command, context.api);
  command.addHelpText(
    'after',
    '\nExamples:\n  boh restore-from nightly --dry-run\n  boh restore-from nightly --resource tags,customers\n' +
      '  boh restore-from nightly --profile new-branch --map-branch "Old Town=Harbour"',
  );
  return command.action(presented(context, () => run(command, context)));
}

async function run(command: Command, context: Context): Promise<Result> {
  const flags = command.opts<RestoreFlags>();
  const [folder] = command.args;
  if (!folder) throw usage('From where? Name the folder of a backup: boh restore-from FOLDER');
  checkRunFlags(flags);
  if (context.globals.offline)
    throw usage('restore-from reads from the service, and --offline forbids that.');
  const references = givenReferences(command, context.api);
  const chosen = await resourcesNamed(flags.resource, '--resource', listed(context.api), context.api);
  const manifest = await soundBackup(folder);
  const held = manifest.resources.flatMap(({ resource }) => context.api.resource(resource) ?? []);
  const lacking = (chosen ?? []).filter((resource) => !held.includes(resource));
  if (lacking.length > 0)
    throw usage(`The backup in ${folder} holds no ${lacking.map(({ nouns }) => nouns).join(', no ')}.`);
  const session = await runSession(context, flags);
  const isSameAccount = await isOf(session, manifest, { folder, isAny: flags.anyAccount, env: context.env });
  const { place, business, ended_at: at } = manifest;
  const whose = [business.name, place].filter(Boolean).join(', ');
  note(
    context.streams,
    `The backup of ${whose} of ${at} (UTC), into ${isSameAccount ? 'the same account' : placeOf(session.settings)}.`,
  );
  return runTransfer(
    {
      command: 'restore-from',
      called: folder,
      from: folder,
      source: backupSource(folder, manifest),
      resources: chosen ?? held,
      session,
      isSameAccount,
      references,
      flags,
    },
    context,
  );
}

/** Read once before: half of a damaged backup is not brought back. */
async function soundBackup(folder: string): Promise<Manifest> {
  const { manifest, resources } = await verifyBackup(folder);
  const problems = resources.filter(({ problem }) => problem !== null);
  if (problems.length === 0) return manifest;
  throw new Failure('unavailable', `The backup in ${folder} is damaged; nothing was sent.`, {
    fields: Object.fromEntries(problems.map(({ resource, problem }) => [resource, [problem ?? '']])),
    hint: ifDamaged,
  });
}

/**
 * Whether its records are those of the account, so that their ids say which. Throws where nobody knows, as the ids may
 * be those of other records then; with `isAny` they are known by what people call them, as in any other account.
 */
async function isOf(
  session: Session,
  manifest: Manifest,
  { folder, isAny, env }: { folder: string; isAny: boolean | undefined; env: Context['env'] },
): Promise<boolean> {
  const owner = ownerOfBackup(manifest);
  const inUse = await accountInUse(session, owner);
  const match = matchOwner(owner, inUse);
  if (match === 'own' || match === 'other' || isAny) return match === 'own';
  throw notOwner(match, owner, inUse, {
    called: folder,
    kind: 'backup',
    profile: await profileOf(owner, env),
    override: 'To bring its records in by what people call them, as from another account: --any-account',
  });
}
