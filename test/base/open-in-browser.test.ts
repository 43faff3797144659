import { expect, test } from 'vitest';
import { hasDisplay } from '../../src/base/open-in-browser.ts';

const ssh = { SSH_CONNECTION: '192.0.2.1 50000 192.0.2.2 22' };

test.each<[NodeJS.Platform, Record<string, string>, boolean]>([
  ['linux', {}, false],
  ['linux', { DISPLAY: '' }, false],
  ['linux', { DISPLAY: ':0' }, true],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, true],
  ['linux', { BROWSER: '/usr/bin/helper' }, true],
  ['linux', { WSL_DISTRO_NAME: 'Ubuntu' }, true],
  ['linux', ssh, false],
  ['linux', { ...ssh, DISPLAY: 'localhost:10.0' }, true],
  ['darwin', {}, true],
  ['darwin', ssh, false],
  ['win32', {}, true],
  ['win32', ssh, false],
])('a display on %s with %j: %s', (platform, env, expected) => {
  expect(hasDisplay(env, platform)).toBe(expected);
});
