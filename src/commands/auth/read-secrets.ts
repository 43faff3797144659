/** Secrets from where they may come: a file, standard input, a hidden prompt; never the command line. */
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { usage } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import { readClientSecret, readToken, type Secret } from '../../settings/secret.ts';

/** No secret is this long; what is longer isn't read to its end. */
const longest = 65_536;

/** `--client-secret-file`. */
export async function readClientSecretFile(path: string): Promise<Secret> {
  return readClientSecret(await textOf(path));
}

/** `--with-token`: from standard input, or asked for where that is the keyboard. */
export async function readPastedToken({ streams }: Context): Promise<Secret> {
  if (!streams.isTerminal.in) return readToken(await textFrom(streams.stdin));
  if (!streams.interactive) {
    throw usage('The token is read from standard input, which is the keyboard here.', {
      hint: 'Put it in: boh auth login --with-token < FILE',
    });
  }
  const { askHidden } = await import('../../terminal/prompts.ts');
  return readToken(await askHidden(streams, { message: 'The token:' }));
}

async function textOf(path: string): Promise<string> {
  try {
    const file = await open(path);
    return await textFrom(file.createReadStream());
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    throw usage(`The file ${path} can’t be read: ${reasons[code] ?? code}.`, { cause });
  }
}

const reasons: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'you may not read it',
  EISDIR: 'it is a folder',
};

async function textFrom(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    text += chunk;
    if (text.length > longest) break;
  }
  return text.replace(/^\uFEFF/, '');
}
