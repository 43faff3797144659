import { describe, expect, it } from 'vitest';
import { parseCursorLine } from '../../../src/cli/commands/completion/shells.ts';

const breaks = ' \t\n"\'@><=;|&(:';

describe('formatCandidates for zsh and fish', () => {
  it('lists the candidates that begin with the word, each once, with a description', () => {
    const request = parseCursorLine('zsh', ['=li', 'customers']);
    expect(request.before).toEqual(['customers']);
    const candidates = [
      { value: 'list', about: 'List customers' },
      { value: 'list', about: 'List customers' },
      { value: 'get' },
    ];
    expect(request.formatCandidates(candidates)).toBe('list\tList customers\n');
  });

  it('contains no control sequences', () => {
    const hostileCandidates = [
      { value: 'id-1', about: 'Evil\u001b]0;title\u0007\nname\tx' },
      { value: 'id\u001b[2J' },
      { value: 'id-\u202e3' },
      { value: 'id-4\n' },
    ];
    const text = parseCursorLine('fish', ['=id']).formatCandidates(hostileCandidates);
    expect(text).toBe('id-1\tEvil␛]0;title␇␊name␉x\n');
    expect(parseCursorLine('bash', ['boh id', breaks, '9']).formatCandidates(hostileCandidates)).toBe(
      'id-1\n',
    );
  });

  it('shortens long descriptions', () => {
    const [, about = ''] = parseCursorLine('fish', ['='])
      .formatCandidates([{ value: 'a', about: 'x'.repeat(200) }])
      .split('\t');
    expect(about.trimEnd()).toHaveLength(60);
  });
});

describe('formatCandidates for bash', () => {
  const format = (line: string, type: string, ...values: string[]) =>
    parseCursorLine('bash', [line, breaks, type]).formatCandidates(
      values.map((value) => ({ value, about: 'what it is' })),
    );

  it('replaces only the text after the last break, quoted for bash', () => {
    expect(format('boh get @Fr', '9', '@Fresh Farms')).toBe('@Fresh\\ Farms\n');
    expect(format('boh get "@Fr', '9', '@Fresh "F"')).toBe('@Fresh \\"F\\"\n');
    expect(format("boh get '@F", '9', "@F's")).toBe("@F'\\''s\n");
    expect(format('boh list --status=cl', '9', '--status=closed')).toBe('closed\n');
    expect(format('boh get ', '9', '$(reboot)')).toBe('\\$\\(reboot\\)\n');
  });

  it('contains descriptions only if bash lists the candidates', () => {
    expect(format('boh ', '9', 'a', 'b')).toBe('a\nb\n');
    expect(format('boh ', '63', 'a', 'b')).toBe('a  (what it is)\nb  (what it is)\n');
    expect(format('boh ', '63', 'a')).toBe('a\n');
  });
});
