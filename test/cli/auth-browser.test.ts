/** Signs in with a real browser, which opens the printed URL and clicks through the pages. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scopes } from '../../src/api/contract/scope.ts';
import { type RunningBoh, startBoh } from '../harness/start-boh.ts';
import { createTestHome, type TestHome } from './auth-service.ts';

/** The path at which Debian's package installs Chromium. */
const executablePath = '/usr/bin/chromium';
const isInstalled = existsSync(executablePath);

const args = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

if (!isInstalled) {
  it.skip(
    `auth login in a browser: skipped, because there is no Chromium at ${executablePath} (apt-get install chromium)`,
  );
}

describe.runIf(isInstalled)('auth login in Chromium', () => {
  let browser: BrowserContext;
  let folder: string;
  let home: TestHome;
  let page: Page;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'boh-browser-'));
    browser = await chromium.launchPersistentContext(folder, { executablePath, args });
  });
  beforeEach(async () => {
    home = createTestHome();
    page = await browser.newPage();
  });
  afterEach(async () => {
    await page.close();
    home.remove();
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  /** Opens the URL that the program printed. */
  async function openPrintedUrl(login: RunningBoh): Promise<void> {
    const [url] = await login.waitForStderr(/^http:\/\/127\.0\.0\.1:\d+\/authorize\S+$/m);
    await page.goto(url);
  }

  const shownScopes = () => page.locator('li code').allTextContents();

  describe('boh auth login --sandbox', () => {
    it('approval: shows the scopes and the success page, and stores a token that works', async () => {
      const problems: string[] = [];
      page.on('console', (message) => problems.push(message.text()));
      page.on('requestfailed', (request) => problems.push(request.url()));
      const login = startBoh(['auth', 'login', '--sandbox'], home.env);
      await openPrintedUrl(login);
      expect(await shownScopes()).toEqual(Object.keys(scopes));
      expect(await page.locator('li').first().textContent()).toContain(scopes['general.read']);
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.getByRole('heading', { name: 'Approved' }).waitFor();
      expect(problems).toEqual([]);
      const { exitCode, stderr } = await login.ended;
      expect(exitCode, stderr).toBe(0);
      expect(stderr).toContain('with 21 scopes');
      expect(home.profiles()).toMatchObject({ sandbox: { sandbox: 'default', token: expect.any(String) } });
      const status = await startBoh(['auth', 'status', '--check', '--json'], home.env).ended;
      expect(JSON.parse(status.stdout)).toMatchObject({ profile: 'sandbox', checked: true });
    });

    it('page that the browser is started with: redirects once, without a referrer', async () => {
      const login = startBoh(['auth', 'login', '--sandbox'], home.env);
      const startUrl = await home.waitForBrowser();
      const request = page.waitForRequest(/\/authorize/);
      await page.goto(startUrl);
      expect((await request).headers().referer).toBeUndefined();
      const secondPage = await browser.newPage();
      await secondPage.goto(startUrl);
      await secondPage.getByRole('heading', { name: 'Already opened' }).waitFor();
      await secondPage.close();
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.getByRole('heading', { name: 'Approved' }).waitFor();
      expect((await login.ended).exitCode).toBe(0);
    });

    it('denial in a small window: stores nothing, and page and terminal report it', async () => {
      const [width, height] = [390, 844];
      await page.setViewportSize({ width, height });
      const login = startBoh(['auth', 'login', '--sandbox'], home.env);
      await openPrintedUrl(login);
      for (const name of ['Approve', 'Deny']) {
        const box = await page.getByRole('button', { name }).boundingBox();
        expect(box && box.y >= 0 && box.y + box.height <= height && box.x + box.width <= width).toBe(true);
      }
      await page.getByRole('button', { name: 'Deny' }).click();
      await page.getByRole('heading', { name: 'Not signed in' }).waitFor();
      const { exitCode, stderr } = await login.ended;
      expect(exitCode, stderr).toBe(3);
      expect(stderr).toContain('The authorization request was denied');
      expect(home.profiles()).toEqual({});
    });
  });

  it('served sandbox: signs in as at the service, with only the requested scopes', async () => {
    const server = startBoh(['sandbox', 'serve', '--port', '0', '-o', 'json'], home.env);
    const credentials = JSON.parse((await server.waitForStdout(/^\{.*\}$/m))[0]);
    const argv = [
      'auth',
      'login',
      '--base-url',
      credentials.base_url,
      '--authorize-url',
      credentials.authorize_url,
    ];
    const app = [
      '--client-id',
      credentials.client_id,
      '--scopes',
      'customers.list,customers.get',
      '--port',
      '0',
    ];
    const env = { ...home.env, BOH_CLIENT_SECRET: credentials.client_secret };
    const login = startBoh([...argv, ...app], env);
    await openPrintedUrl(login);
    expect(await shownScopes()).toEqual(['customers.list', 'customers.get']);
    await page.getByRole('button', { name: 'Approve' }).click();
    const { exitCode, stderr } = await login.ended;
    expect(exitCode, stderr).toBe(0);
    const refusedResult = await startBoh(['suppliers', 'list'], home.env).ended;
    expect(refusedResult.exitCode).toBe(4);
    const allowedResult = await startBoh(['customers', 'list', '--limit', '1'], home.env).ended;
    expect(JSON.parse(allowedResult.stdout)).toHaveLength(1);
    server.kill('SIGTERM');
    await server.ended;
  });
});
