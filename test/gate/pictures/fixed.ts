import { hostname } from 'node:os';
import type { Page, Route } from 'playwright-core';

/** The time of the pictures: that of the page, and of everything that the service wrote while the world was filled. */
export const NOW = '2026-11-02T09:30:00.000Z';
const WRITTEN = '2026-11-02T09:20:00.000Z';
/** Of names that the service generates. */
const UID = '00000000-0000-4000-8000-000000000000';

const TIME = /"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)"/g;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
/** The name of a process: its machine and its number. */
const PROCESS = new RegExp(`${hostname().replaceAll('.', '\\.')}/\\d+`, 'g');
/** Times of objects of the shop lie before the world was filled. */
const FILL_MS = 600_000;

/** Replaces what differs between runs in answers of the service, and the clock of the page. */
export async function fixAnswers(page: Page, beganMs: number): Promise<void> {
  await page.clock.setFixedTime(NOW);
  const isLate = (time: string): boolean => Date.parse(time) >= beganMs - FILL_MS;
  await page.route(/\/apis?\//, (route) => fix(route, isLate));
  await page.route(/\/metrics$/, (route) => fulfillMetrics(route));
}

async function fix(route: Route, isLate: (time: string) => boolean): Promise<void> {
  const request = route.request();
  // A watch has no end.
  if (/[?&]watch=/.test(request.url())) return route.continue();
  const response = await route.fetch({ headers: { ...request.headers(), 'accept-encoding': 'identity' } });
  const text = await response.text();
  const body = text
    .replace(TIME, (whole, time: string) => (isLate(time) ? `"${WRITTEN}"` : whole))
    .replace(UUID, UID)
    .replace(PROCESS, 'host/1');
  return route.fulfill({ response, body });
}

/** Numbers of the process are different in each run, those of objects are not. */
async function fulfillMetrics(route: Route): Promise<void> {
  const response = await route.fetch();
  const text = await response.text();
  const body = text
    .split('\n')
    .map((line) =>
      line.startsWith('#') || line.startsWith('xsvc_objects') ? line : line.replace(/ \S+$/, ' 1'),
    )
    .join('\n');
  return route.fulfill({ response, body });
}
