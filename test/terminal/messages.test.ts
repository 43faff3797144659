import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { note, report, reportFailure, warn } from '../../src/cli/terminal/messages.ts';
import { dangerous, fakeStreams, hostileTexts } from './fake-streams.ts';

const refused = new Failure('refused', 'The service refused the supplier.', {
  status: 422,
  fields: { name: ['The name field is required.', 'The name is too short.'], _: ['Nothing was changed.'] },
  request: { method: 'POST', path: '/suppliers' },
  hint: 'Fix the fields above and run the command again.',
});

describe('error message', () => {
  test('shows what happened, the messages of each field, and what to do next', () => {
    const streams = fakeStreams();
    reportFailure(refused, streams);
    expect(streams.written.err()).toBe(
      [
        'boh: The service refused the supplier.',
        '  name: The name field is required.',
        '  name: The name is too short.',
        '  Nothing was changed.',
        'Fix the fields above and run the command again.',
        '',
      ].join('\n'),
    );
    expect(streams.written.out()).toBe('');
  });

  test('names the required fields without a value in one line, before the other messages', () => {
    const streams = fakeStreams();
    const fields = { sku: ['is required'], cost: ['must be a number'], name: ['is required'] };
    reportFailure(new Failure('usage', 'Invalid input.', { fields }), streams);
    expect(streams.written.err()).toBe(
      'boh: Invalid input.\n  Missing required fields: sku, name\n  cost: must be a number\n',
    );
  });

  test('on an ASCII terminal: is ASCII, except the object that scripts read', () => {
    const failure = new Failure('usage', "That can't be “x”…", { hint: 'Naïve – so be it.' });
    const streams = fakeStreams({ unicode: false });
    reportFailure(failure, streams, { isForProgram: true });
    const [firstLine, secondLine, thirdLine] = streams.written.err().split('\n');
    expect([firstLine, secondLine]).toEqual(['boh: That can\'t be "x"...', 'Naïve - so be it.']);
    expect(JSON.parse(thirdLine ?? '').error.message).toBe("That can't be “x”…");
    const log = fakeStreams({ unicode: false, isTerminal: { in: false, out: false, err: false } });
    reportFailure(failure, log);
    expect(log.written.err()).toContain("can't");
  });

  test('with --verbose: shows the request', () => {
    const streams = fakeStreams();
    reportFailure(refused, streams, { verbose: true });
    expect(streams.written.err()).toContain('  POST /suppliers: status 422\n');
  });

  test('for a failed request: shows the request without its filters', () => {
    const streams = fakeStreams();
    const request = { method: 'GET', path: '/suppliers?filter[phone]=555000333' };
    const failure = new Failure('unavailable', 'The service reported an error (502).', {
      status: 502,
      request,
    });
    reportFailure(failure, streams);
    expect(streams.written.err()).toBe(
      'boh: The service reported an error (502).\n  GET /suppliers: status 502\n',
    );
    reportFailure(new Failure('unavailable', 'No response.', { request }), streams);
    expect(streams.written.err()).toContain('  GET /suppliers: no response\n');
  });

  test('for several records with one error: shows it once, with the records', () => {
    const streams = fakeStreams();
    const sameMessages = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`line ${index + 2}`, ['is merged.']]),
    );
    const fields = { ...sameMessages, 'line 3': ['is merged.', 'is late.'], 'line 20': ['is late.'] };
    reportFailure(new Failure('usage', 'Bad rows.', { fields }), streams, { isForProgram: true });
    const [, ...lines] = streams.written.err().trimEnd().split('\n');
    expect(lines.slice(0, -1)).toEqual([
      '  line 2, line 3, line 4, line 5, line 6, line 7, line 8, line 9, line 10, line',
      '      11 and 2 more: is merged.',
      '  line 3: is late.',
      '  line 20: is late.',
    ]);
    expect(JSON.parse(lines.at(-1) ?? '').error.fields).toEqual(fields);
  });

  test('for programs: ends with one line of JSON that has every key', () => {
    const streams = fakeStreams();
    reportFailure(refused, streams, { isForProgram: true });
    expect(JSON.parse(streams.written.err().trimEnd().split('\n').at(-1) ?? '')).toEqual({
      error: {
        category: 'refused',
        exit_code: 6,
        status: 422,
        message: 'The service refused the supplier.',
        fields: refused.details.fields,
        request: { method: 'POST', path: '/suppliers' },
        hint: 'Fix the fields above and run the command again.',
      },
    });
    reportFailure(new Failure('interrupted', 'Stopped.', { exitCode: 143 }), streams, { isForProgram: true });
    expect(JSON.parse(streams.written.err().trimEnd().split('\n').at(-1) ?? '')).toEqual({
      error: {
        category: 'interrupted',
        exit_code: 143,
        status: null,
        message: 'Stopped.',
        fields: null,
        request: null,
        hint: null,
      },
    });
  });

  test.each(Object.entries(hostileTexts))('replaces %s', (_kind, text) => {
    const streams = fakeStreams();
    const failure = new Failure('refused', text, {
      fields: { [text]: [text], _: [text] },
      request: { method: 'GET', path: text },
      hint: text,
    });
    reportFailure(failure, streams, { isForProgram: true, verbose: true });
    const lines = streams.written.err().trimEnd().split('\n');
    expect(lines.join('')).not.toMatch(dangerous);
    expect(JSON.parse(lines.at(-1) ?? '').error.message).toBe(text);
  });

  test('text from the service cannot start a line that looks like a message of boh', () => {
    const streams = fakeStreams();
    reportFailure(new Failure('refused', 'No.\nboh: Done.', { hint: 'x\nboh: Done.' }), streams);
    expect(streams.written.err()).not.toMatch(/^boh: Done/m);
  });

  test('is colored if stderr has color', () => {
    const streams = fakeStreams({ color: { out: false, err: true } });
    reportFailure(refused, streams);
    expect(streams.written.err()).toContain('\x1b[31mboh:\x1b[39m');
  });
});

describe('note', () => {
  test('is printed on stderr, except in quiet mode', () => {
    const streams = fakeStreams();
    note(streams, '50 of 200 customers; --all shows the rest.');
    expect(streams.written.err()).toBe('50 of 200 customers; --all shows the rest.\n');
    const quiet = fakeStreams({ quiet: true });
    note(quiet, 'never seen');
    expect(quiet.written.err()).toBe('');
  });

  test('text from the service cannot start a line that looks like a message of boh', () => {
    const streams = fakeStreams();
    for (const write of [note, report, warn])
      write(streams, 'Supplier "x\nboh: Done.\r\nboh: Done." is deleted.');
    const output = streams.written.err();
    expect(output).not.toMatch(/^boh: Done/m);
    expect(output.match(/^ {4}boh: Done/gm)?.length).toBe(6);
  });

  test('as a warning: is printed also in quiet mode', () => {
    const streams = fakeStreams({ quiet: true });
    warn(streams, 'The settings file was readable by others.');
    expect(streams.written.err()).toBe('boh: warning: The settings file was readable by others.\n');
  });

  test('clears the current progress line', () => {
    let clearCount = 0;
    const streams = fakeStreams({
      statusLine: {
        clear: () => {
          clearCount += 1;
        },
      },
    });
    note(streams, 'A note.');
    expect(clearCount).toBe(1);
  });
});

describe('a message that is wider than the window', () => {
  const outputOf = (text: string, isTerminal = true) => {
    const streams = fakeStreams({
      columns: (name) => (name === 'err' ? 30 : 80),
      isTerminal: { in: true, out: true, err: isTerminal },
    });
    note(streams, text);
    return streams.written.err();
  };

  test('breaks at spaces', () => {
    const lines = outputOf(
      'The service only returns the expected quantities after a count has been closed.',
    ).split('\n');
    expect(lines).toEqual([
      'The service only returns the',
      '    expected quantities after',
      '    a count has been closed.',
      '',
    ]);
  });

  test('a long URL: is not broken', () => {
    const url = `https://example.com/${'a'.repeat(40)}`;
    expect(outputOf(`Open ${url} in a browser.`)).toBe(`Open\n    ${url}\n    in a browser.\n`);
  });

  test('breaks before and after a command, never inside it', () => {
    const command = 'boh customers list --name "Dr. Who" --phone 555000111';
    expect(outputOf(`The outcome is unknown. To check: ${command}. The request was not retried.`)).toBe(
      [
        'The outcome is unknown. To',
        '    check:',
        `    ${command}.`,
        '    The request was not',
        '    retried.',
        '',
      ].join('\n'),
    );
  });

  test('is not broken in a file', () => {
    const text = 'The service only returns the expected quantities after a count has been closed.';
    expect(outputOf(text, false)).toBe(`${text}\n`);
  });

  test('indents all lines after the first line of text of the service', () => {
    const lines = outputOf(`A name\nboh: done, and this line is longer than the window`).split('\n');
    expect(lines.slice(1, -1).every((line) => line.startsWith('    '))).toBe(true);
  });

  test('never starts a line with text of the service that is as wide as the window', () => {
    const lines = outputOf('There is no item Milk                     boh: all items were deleted').split(
      '\n',
    );
    expect(lines.slice(1, -1).every((line) => line.startsWith('    '))).toBe(true);
  });
});
