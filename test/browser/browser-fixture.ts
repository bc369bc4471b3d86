/**
 * A console as the process that it is, on a test's own deployment, and a real browser before it. Whatever a page writes to
 * the browser's own log, a script that the page's policy stopped among it, is kept and can be held against the test.
 */
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { provisionRedisUsers, dropRedisUsers } from '@sallyport/shared/queue/provision-users';
import { chromium, type Browser, type Page } from 'playwright-core';
import { createServices } from '../support/deployment/start-service.ts';
import {
  createTestDeployment,
  type TestDeployment,
} from '../support/deployment/test-deployment.ts';
import { TOKEN, TOKEN_SHA256 } from '../integration/console/console-fixture.ts';

const CLICK_DEADLINE_MS = 10_000;

export interface BrowserConsole {
  deployment: TestDeployment;
  url: string;
  /** A page of somebody who is logged in, in a browser profile of its own. */
  open(path: string, options?: { scripts: boolean }): Promise<Page>;
  /** Closes a page. @throws Error with what it complained of: errors, and what its policy stopped. */
  leave(page: Page): Promise<void>;
  close(): Promise<void>;
}

export async function startBrowserConsole(teamsFile: unknown): Promise<BrowserConsole> {
  const deployment = await createTestDeployment();
  const admin = { adminUrl: deployment.redisUrl, deployment: deployment.id };
  const { console: redisUrl } = await provisionRedisUsers(admin);
  const dir = mkdtempSync(join(tmpdir(), 'sallyport-browser-'));
  const file = join(dir, 'teams.json');
  writeFileSync(file, JSON.stringify(teamsFile));
  const services = createServices(deployment);
  const service = services.start({
    main: 'services/console/src/main.ts',
    process: 'console',
    env: { PORT: '0', TEAMS_FILE: file },
    secrets: { OPERATOR_TOKEN_SHA256: TOKEN_SHA256, REDIS_URL: redisUrl },
  });
  const [, port] = await service.said(/"port":(\d+),"msg":"listening"/);
  const url = `http://127.0.0.1:${port}`;
  const browser = await launch();
  const complaints: string[] = [];

  return {
    deployment,
    url,
    async open(path, { scripts } = { scripts: true }) {
      const viewport = { width: 1200, height: 900 };
      const page = await browser.newPage({ viewport, javaScriptEnabled: scripts });
      page.setDefaultTimeout(CLICK_DEADLINE_MS);
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error' && !/status of [45]\d\d/.test(message.text())) {
          complaints.push(message.text());
        }
      });
      await page.goto(`${url}${path}`);
      await page.getByLabel('Your name').fill('ada');
      await page.getByLabel('Operator token').fill(TOKEN);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.waitForURL(`${url}${path}`);
      return page;
    },
    async leave(page) {
      await page.context().close();
      const heard = complaints.splice(0);
      if (heard.length > 0) throw new Error(`the page complained: ${heard.join('; ')}`);
    },
    async close() {
      await browser.close();
      await services.close();
      rmSync(dir, { recursive: true });
      await dropRedisUsers(deployment.redisUrl, deployment.id);
      await deployment.close();
    },
  };
}

function launch(): Promise<Browser> {
  // Its own sandbox does not start as root, and what it is shown here is ours.
  const isRoot = process.getuid?.() === 0;
  return chromium.launch({
    executablePath: programOnPath('chromium'),
    args: [...(isRoot ? ['--no-sandbox'] : []), '--disable-dev-shm-usage'],
  });
}

function programOnPath(name: string): string {
  for (const dir of (process.env['PATH'] ?? '').split(delimiter)) {
    const file = join(dir, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // The next directory.
    }
  }
  throw new Error(`${name} is not on the PATH; npm run test:browser installs it where it may`);
}
