import { afterAll, describe, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { terminalTest as test } from '../harness/terminal.ts';

const demo = startDemo();
afterAll(() => demo.remove());

describe('times', () => {
  const list = 'boh --sandbox suppliers list --columns name,created_at';
  const utcTime = async () => {
    const [first] = await demo.json<{ created_at: string }[]>('suppliers list --columns created_at');
    return first?.created_at ?? '';
  };
  const inRiyadh = (utc: string) =>
    new Date(Date.parse(`${utc.replace(' ', 'T')}Z`) + 3 * 3_600_000)
      .toISOString()
      .slice(0, 19)
      .replace('T', ' ');

  test('on a terminal: are in the time zone of the setting, which is named', async () => {
    const terminal = demo.terminal(`boh config set time_zone Asia/Riyadh && ${list}`, { env: { TZ: 'UTC' } });
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain(inRiyadh(await utcTime()));
    expect(terminal.text()).toContain('Times in Asia/Riyadh.');
  });

  test('on a terminal without the setting: are in the time zone of the machine', async () => {
    const terminal = demo.terminal(`boh config unset time_zone && ${list}`, { env: { TZ: 'Asia/Riyadh' } });
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain(inRiyadh(await utcTime()));
  });

  test('for programs: are in UTC', async () => {
    const terminal = demo.terminal(`${list} -o csv | cat`, { env: { BOH_TIME_ZONE: 'Asia/Riyadh' } });
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain(await utcTime());
    expect(terminal.text()).not.toContain('Times in');
  });

  test('of the history: are in the same time zone', async () => {
    const env = { BOH_TIME_ZONE: 'Asia/Tokyo' };
    const terminal = demo.terminal(
      'boh --sandbox tags create --name Night --type customer; boh --sandbox history; boh --sandbox history show 1',
      { env },
    );
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain('Times in Asia/Tokyo.');
    expect(terminal.text()).toMatch(/\d\d:\d\d:\d\d \(Asia\/Tokyo\)/);
  });
});
