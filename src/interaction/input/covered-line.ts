/** The line that was typed, as it can be kept: without the secrets that stand in it. */
import type { Api } from '../../contract/api.ts';
import { isSecretName, maskOfAll } from '../../contract/secret-mask.ts';
import { mask } from '../../mask.ts';
import { quote } from '../../reference/examples.ts';

/** What can be no JSON, behind a flag that takes it, is covered whole. */
const takesJson = ['--data'];

export function coveredLine(argv: readonly string[], api: Api): string {
  const words = argv.map((word, at) => {
    const before = argv[at - 1];
    if (before !== undefined && takesJson.includes(before)) return coveredData(word, api);
    const [, flag, value = ''] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
    if (flag === undefined) return coveredWord(word, api);
    return `${flag}=${takesJson.includes(flag) ? coveredData(value, api) : coveredWord(value, api)}`;
  });
  return ['boh', ...words.map(quote)].join(' ');
}

/** A file and standard input are named, not quoted. */
function coveredData(text: string, api: Api): string {
  if (text === '-' || text.startsWith('@')) return text;
  return coveredJson(text, api) ?? mask;
}

function coveredWord(word: string, api: Api): string {
  if (/^\s*[[{]/.test(word)) return coveredJson(word, api) ?? mask;
  // The password of an address, then a query, or one of its parts.
  return word
    .replace(/^([a-z+]+:\/\/[^/@:]*):[^/@]*@/i, `$1:${mask}@`)
    .split(/([?&])/)
    .map((part) => {
      const [, name] = /^([^=]+)=/.exec(part) ?? [];
      return name !== undefined && isSecretName(api, name) ? `${name}=${mask}` : part;
    })
    .join('');
}

function coveredJson(text: string, api: Api): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const covered = maskOfAll(api)(value);
    return covered === value ? text : JSON.stringify(covered);
  } catch {
    return undefined;
  }
}
