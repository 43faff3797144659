import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { PassThrough, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import {
  hasColor,
  hasUnicode,
  OutputClosed,
  openProcessStreams,
  write,
  writeAll,
} from '../../src/cli/terminal/streams.ts';
import { waitUntil } from '../harness/wait-until.ts';

describe('hasColor', () => {
  test.each([
    ['on a terminal', {}, {}, true, true],
    ['away from a terminal', {}, {}, false, false],
    ['on a dumb terminal', { TERM: 'dumb' }, {}, true, false],
    ['with NO_COLOR', { NO_COLOR: '1' }, {}, true, false],
    ['with an empty NO_COLOR', { NO_COLOR: '' }, {}, true, true],
    ['with --no-color', {}, { noColor: true }, true, false],
    ['with FORCE_COLOR in a pipe', { FORCE_COLOR: '1' }, {}, false, true],
    ['with FORCE_COLOR=0', { FORCE_COLOR: '0' }, {}, true, false],
    ['with both variables', { FORCE_COLOR: '1', NO_COLOR: '1' }, {}, true, false],
    ['with --no-color and FORCE_COLOR', { FORCE_COLOR: '1' }, { noColor: true }, true, false],
  ])('%s, with %j and %j, on a terminal %j: returns %j', (_, env, flags, isTerminal, isColored) => {
    expect(hasColor(env, flags, isTerminal)).toBe(isColored);
  });
});

describe('hasUnicode', () => {
  test.each([
    [{ LANG: 'en_US.UTF-8' }, 'linux', true],
    [{ LANG: 'ar_SA.utf8' }, 'linux', true],
    [{ LANG: 'C' }, 'linux', false],
    [{ LANG: 'de_DE.ISO-8859-1' }, 'linux', false],
    [{ LANG: 'en_US.UTF-8', LC_ALL: 'C' }, 'linux', false],
    [{ LANG: 'C', LC_CTYPE: 'C.UTF-8' }, 'linux', true],
    [{ LANG: 'C', LC_ALL: '' }, 'linux', false],
    [{}, 'linux', false],
    [{}, 'darwin', true],
    [{}, 'win32', true],
  ] as const)('%j on %s: returns %j', (env, platform, isUnicode) => {
    expect(hasUnicode(env, platform)).toBe(isUnicode);
  });
});

describe('openProcessStreams', () => {
  test('without a terminal on stdout: has a width of 80, or of COLUMNS', () => {
    // Vitest's workers have no terminal.
    expect(openProcessStreams({}).columns('out')).toBe(80);
    expect(openProcessStreams({ COLUMNS: '120' }).columns('out')).toBe(120);
    expect(openProcessStreams({ COLUMNS: 'wide' }).columns('out')).toBe(80);
    expect(openProcessStreams({ COLUMNS: '-5' }).columns('out')).toBe(80);
  });

  test('without a terminal: is not interactive', () => {
    expect(openProcessStreams({}).interactive).toBe(false);
  });
});

describe('write', () => {
  function createFailingStream(code: string): Writable {
    const stream = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write failed'), { code })),
    });
    return stream.on('error', () => {});
  }

  test('waits for a slow reader', async () => {
    const slowStream = new PassThrough({ highWaterMark: 10 });
    let writtenCount = 0;
    const writing = (async () => {
      for (; writtenCount < 5; writtenCount += 1) await write(slowStream, 'x'.repeat(10));
    })();
    await new Promise(setImmediate);
    expect(writtenCount).toBeLessThan(5);
    slowStream.resume();
    await writing;
    expect(writtenCount).toBe(5);
  });

  test.each(['EPIPE', 'ECONNRESET', 'EOF'])(
    '%s: reports a closed reader, for this and all later writes',
    async (code) => {
      const stream = createFailingStream(code);
      await expect(write(stream, 'text')).rejects.toThrow(OutputClosed);
      await expect(write(stream, 'text')).rejects.toThrow(OutputClosed);
    },
  );

  test('any other error: fails with the reason', async () => {
    const stream = createFailingStream('ENOSPC');
    const failure = await write(stream, 'text').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({
      category: 'unavailable',
      message: "Can't write the output: no space left on the device.",
    });
    await expect(write(stream, 'text')).rejects.toThrow('no space left');
    await expect(write(createFailingStream('EWEIRD'), 'text')).rejects.toThrow('write failed');
  });

  test('writeAll: writes all text', async () => {
    const stream = new PassThrough();
    await writeAll({ stdout: stream }, ['one\n', 'two\n']);
    expect(String(stream.read())).toBe('one\ntwo\n');
  });

  /** Returns a stream that records each written block, and fails from block number `failAt` on. */
  function createRecordingStream(failAt = Number.POSITIVE_INFINITY) {
    const blocks: string[] = [];
    const stream = new Writable({
      write(chunk, _encoding, done) {
        blocks.push(String(chunk));
        done(blocks.length >= failAt ? Object.assign(new Error(), { code: 'EPIPE' }) : null);
      },
    });
    stream.on('error', () => {});
    return { stream, blocks };
  }

  test('joins texts to blocks of 64 KB', async () => {
    const { stream, blocks } = createRecordingStream();
    await writeAll({ stdout: stream }, Array(10_000).fill('0123456789abcdef\n'));
    expect(blocks.join('')).toBe('0123456789abcdef\n'.repeat(10_000));
    expect(blocks).toHaveLength(3);
  });

  test('flushes before it waits for the next text', async () => {
    const { stream, blocks } = createRecordingStream();
    const { promise, resolve } = Promise.withResolvers<void>();
    async function* texts() {
      yield 'first\n';
      yield 'second\n';
      await promise;
      yield 'third\n';
    }
    const written = writeAll({ stdout: stream }, texts());
    await waitUntil(() => expect(blocks).toEqual(['first\nsecond\n']));
    resolve();
    await written;
    expect(blocks).toEqual(['first\nsecond\n', 'third\n']);
  });

  test('opens no stream for a result that is written at once, and one for the rest of a partial write', async () => {
    const { stream, blocks } = createRecordingStream();
    let openCount = 0;
    const streams = {
      get stdout() {
        openCount++;
        return stream;
      },
      writeSyncPrefix: (text: string) => Buffer.from(text.slice(6)),
    };
    await writeAll(streams, ['first\n']);
    expect({ openCount, blocks }).toEqual({ openCount: 0, blocks: [] });
    await writeAll(streams, ['first\n', 'second\n']);
    expect({ openCount, blocks }).toEqual({ openCount: 1, blocks: ['second\n'] });
  });

  test('uses a stream for a result that arrives in parts, and for a pager', async () => {
    const { stream, blocks } = createRecordingStream();
    const writeSyncPrefix = vi.fn(() => Buffer.alloc(0));
    async function* slowTexts() {
      yield 'first\n';
      await waitUntil(() => expect(blocks).toEqual(['first\n']));
      yield 'second\n';
    }
    await writeAll({ stdout: stream, writeSyncPrefix }, slowTexts());
    await writeAll({ stdout: stream, writeSyncPrefix, paged: { output: stream, headerLines: 0 } }, [
      'third\n',
    ]);
    expect(blocks).toEqual(['first\n', 'second\n', 'third\n']);
    expect(writeSyncPrefix).not.toHaveBeenCalled();
  });

  test('writes the texts before a failure of the source, and stops reading it after the reader has closed', async () => {
    const { stream, blocks } = createRecordingStream();
    async function* failingSource() {
      yield 'first\n';
      throw new Error('broken');
    }
    await expect(writeAll({ stdout: stream }, failingSource())).rejects.toThrow('broken');
    expect(blocks).toEqual(['first\n']);
    let readCount = 0;
    async function* endlessTexts() {
      for (;;) {
        readCount++;
        yield 'x'.repeat(40_000);
      }
    }
    await expect(writeAll({ stdout: createRecordingStream(2).stream }, endlessTexts())).rejects.toThrow(
      OutputClosed,
    );
    expect(readCount).toBeLessThan(8);
  });
});

describe.skipIf(process.platform === 'win32')('10 MB of output', () => {
  const program = fileURLToPath(new URL('programs/print-ten-megabytes.ts', import.meta.url));

  /** Runs the program with a redirection or pipe of the shell, and returns its exit code and output. */
  async function run(redirection: string) {
    const child = spawn('bash', [
      '-c',
      `"$0" "$1" ${redirection}; exit "\${PIPESTATUS[0]}"`,
      process.execPath,
      program,
    ]);
    const output = { out: '', err: '' };
    child.stdout.on('data', (data) => {
      output.out += data;
    });
    child.stderr.on('data', (data) => {
      output.err += data;
    });
    const exitCode = await new Promise((resolve) => child.once('close', resolve));
    return { exitCode, ...output };
  }

  test('to a reader that closes after one line: ends silently', async () => {
    expect(await run('| head -1')).toEqual({ exitCode: 0, out: `${'x'.repeat(999)}\n`, err: '' });
  });

  test('to a slow reader: arrives completely', async () => {
    const slowReader = `${process.execPath} -e "
      let bytes = 0;
      process.stdin.on('data', (data) => {
        bytes += data.length;
        process.stdin.pause();
        setImmediate(() => process.stdin.resume());
      }).on('end', () => process.stdout.write(String(bytes)))"`;
    expect(await run(`| ${slowReader}`)).toEqual({ exitCode: 0, out: '10000000', err: '' });
  });

  test.skipIf(!existsSync('/dev/full'))('to a full disk: fails with the reason', async () => {
    const { exitCode, err } = await run('> /dev/full');
    expect(exitCode).toBe(8);
    expect(err).toContain("Can't write the output: no space left on the device.");
  });
});
