/** Tests the lines for cron and the units for systemd that run change sets on a schedule. */
import { describe, expect, test } from 'vitest';
import { openWorkspaceAt } from './change-workspace.ts';

describe('change install', () => {
  test('--cron: prints one line that runs every minute, and writes nothing', async () => {
    const { exitCode, stdout } = await openWorkspaceAt().bohWithoutSandbox(
      {},
      '--profile',
      'main',
      'change',
      'install',
      '--cron',
    );
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^\* \* \* \* \* BOH_CONFIG_DIR=\S+ \S+ \S+ --profile main --yes change run --quiet\n$/,
    );
  });

  test('--systemd: prints a service and a timer, with words quoted for unit files', async () => {
    const line = ['--sandbox', 'change', 'install', '--systemd', '--notify', 'mail -s "50 %" a@b.c'];
    const { stdout } = await openWorkspaceAt().bohWithoutSandbox({}, ...line);
    expect(stdout).toMatch(
      /^ExecStart=.* --sandbox change run --quiet --notify "mail -s \\"50 %%\\" a@b\.c"$/m,
    );
    expect(stdout).toContain('OnCalendar=minutely');
  });
});
