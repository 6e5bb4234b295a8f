import { execFileSync } from 'node:child_process'
import { contactFieldNames } from '@tidings/domain'
import { parse } from 'yaml'
import { ROOT, readPage } from './markdown.ts'

/** What a page must say because the code does. `page` from the root, `says` a part of it, in the words of the page. */
export type Constant = Readonly<{ page: string; says: string }>

const defaults: unknown = parse(readPage('packages/config/tidings.defaults.yaml'))
const settingAt = (path: string): unknown => path.split('.').reduce<unknown>((section, name) => Object(section)[name], defaults)
export function setting(path: string): number {
  return Number(settingAt(path))
}

const sources = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && !/[.](test|testing|fixture)[.]ts$/.test(file))

/** The number that `const <name> = …` or a field `<name>: …` gives somewhere below the folder; throws unless there is exactly one such number. */
export function constant(name: string, folder: string): number {
  const declared = new RegExp(`(?:^(?:export )?const ${name}\\b[^=\\n]*= |[ {]${name}: )([\\d_ *]*\\d)`, 'gm')
  const values = sources
    .filter((file) => file.startsWith(folder))
    .flatMap((file) => [...readPage(file).matchAll(declared)])
    .map(([, product = '']) =>
      product
        .replaceAll('_', '')
        .split('*')
        .map(Number)
        .reduce((left, right) => left * right),
    )
  const [value, ...others] = new Set(values)
  if (value === undefined || others.length > 0) throw new Error(`${folder} has ${new Set(values).size} values of ${name}, not one`)
  return value
}

export function seconds(ms: number): string {
  return `${ms / 1_000} s`
}

export function mebibytes(bytes: number): string {
  return `${bytes / 1024 / 1024} MiB`
}

export function kibibytes(bytes: number): string {
  return `${bytes / 1024} KiB`
}

/** Digits in groups of three, as the pages write them. */
export function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ' ')
}

const delay = (inSeconds: number): string => {
  if (inSeconds < 60) return `${inSeconds} s`
  return inSeconds < 3_600 ? `${inSeconds / 60} min` : `${inSeconds / 3_600} h`
}

export function retryDelays(): string {
  return [settingAt('sending.retrySeconds')].flat().map(Number).map(delay).join(', ')
}

/** Every number, and every list, of the explanations and how-to pages that would mislead an operator if it were wrong. */
export function constants(): readonly Constant[] {
  return [
    { page: 'docs/explanation/sending.md', says: `under a lease of ${seconds(constant('LEASE_MS', 'consumers/src/send/'))}` },
    { page: 'docs/explanation/sending.md', says: `and these ${seconds(constant('TAKEOVER_WAIT_MS', 'consumers/'))} have passed` },
    { page: 'docs/explanation/sending.md', says: `in memory for up to ${seconds(constant('MAX_AGE_MS', 'consumers/src/send/'))}` },
    { page: 'docs/explanation/sending.md', says: `sent once more ${constant('UNCONFIRMED_MS', 'consumers/') / 60_000} minutes` },
    { page: 'docs/explanation/sending.md', says: `retried after ${retryDelays()};` },
    { page: 'docs/explanation/the-bus.md', says: `under a lease of ${seconds(constant('leaseMs', 'packages/bus/'))}` },
    {
      page: 'docs/explanation/projections-and-read-your-writes.md',
      says: `the lease of ${seconds(constant('leaseMs', 'packages/projections/'))}`,
    },
    {
      page: 'docs/explanation/projections-and-read-your-writes.md',
      says: `the last events (at most ${grouped(constant('LAST_EVENTS', 'packages/projections/'))})`,
    },
    { page: 'docs/explanation/the-log.md', says: `at most ${constant('MAX_GROUPS', 'packages/event-store/')} groups` },
    { page: 'docs/explanation/the-log.md', says: `up to ${constant('MAX_STREAMS', 'packages/event-store/')} of them` },
    { page: 'docs/explanation/the-log.md', says: mebibytes(constant('MAX_QUEUED_BYTES', 'packages/event-store/')) },
    { page: 'docs/how-to/send-through-smtp.md', says: `| \`TIDINGS_SMTP_CONNECTIONS\` | ${setting('email.connections')} |` },
    { page: 'docs/how-to/send-through-smtp.md', says: `| \`TIDINGS_PROVIDER_TIMEOUT_MS\` | ${grouped(setting('email.timeoutMs'))} |` },
    { page: 'docs/how-to/scale-out.md', says: `\`TIDINGS_DATABASE_POOL_SIZE\` (${setting('storage.poolSize')})` },
    { page: 'docs/how-to/run-on-your-own-postgres.md', says: `\`TIDINGS_DATABASE_POOL_SIZE\` (${setting('storage.poolSize')})` },
    { page: 'docs/reference/http-conventions.md', says: `at most ${mebibytes(setting('http.bodyLimitBytes'))}` },
    { page: 'docs/reference/http-conventions.md', says: `share ${mebibytes(setting('http.bodyBudgetBytes'))}` },
    { page: 'docs/reference/http-conventions.md', says: `| ${setting('rateLimit.default')} a minute |` },
    { page: 'docs/reference/http-conventions.md', says: `| ${grouped(setting('rateLimit.key'))} a minute |` },
    { page: 'docs/reference/http-conventions.md', says: `${grouped(constant('MAX_VALUES', 'packages/http/'))} array elements` },
    { page: 'docs/how-to/put-a-form-into-a-page.md', says: `works for ${constant('DAYS_TO_CONFIRM', 'command-api/')} days` },
    {
      page: 'docs/how-to/put-a-form-into-a-page.md',
      says: `at most ${constant('PER_ADDRESS_A_DAY', 'command-api/')} of these mails a day`,
    },
    { page: 'docs/how-to/put-a-form-into-a-page.md', says: `PER_HOUR\` (${grouped(setting('forms.confirmationsPerHour'))})` },
    { page: 'docs/how-to/put-a-form-into-a-page.md', says: `has ${setting('rateLimit.forms')} sign-ups a minute` },
    { page: 'docs/reference/http-conventions.md', says: `| ${setting('rateLimit.forms')} a minute |` },
    { page: 'docs/reference/webhooks.md', says: `While ${grouped(setting('webhooks.backlog'))} deliveries wait` },
    { page: 'docs/reference/webhooks.md', says: `within ${setting('webhooks.timeoutMs') / 1_000} seconds` },
    {
      page: 'docs/reference/webhooks.md',
      says: `after about ${[1, 2, 4].map((times) => (times * setting('webhooks.backoffMs')) / 1_000).join(', ')} and ${(8 * setting('webhooks.backoffMs')) / 1_000} seconds`,
    },
    { page: 'docs/reference/rules.md', says: `${setting('webhooks.endpoints')} endpoints of a workspace` },
    ...contactFieldNames.map((field) => ({ page: 'docs/reference/rules-of-lists.md', says: `\`${field}` })),
  ]
}
