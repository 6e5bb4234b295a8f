import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../../')
const ROUTES = ['command-api/src/**/*.route.ts', 'dashboard-api/src/**/*.route.ts']

/** What the next request reads does not come from a projection. */
const WAITS_FOR_NONE: Readonly<Record<string, string>> = {
  ...{
    'command-api/src/otp/verify-otp.route.ts': 'no route reads a code',
    'command-api/src/outbox/clear-outbox.route.ts': 'the rows of the outbox are the truth',
    'command-api/src/receipts/email-events.route.ts': 'a provider reads nothing',
    'command-api/src/receipts/mailgun-events.route.ts': 'a provider reads nothing',
    'command-api/src/receipts/ses-events.route.ts': 'a provider reads nothing',
    'command-api/src/receipts/twilio-inbound.route.ts': 'a provider reads nothing',
    'command-api/src/receipts/twilio-status.route.ts': 'a provider reads nothing',
    'command-api/src/sign-in/login.route.ts': 'sessions are rows of their own',
    'command-api/src/sign-in/logout.route.ts': 'sessions are rows of their own',
    'command-api/src/sign-in/sign-in-by-link.route.ts': 'sessions are rows of their own',
  },
  ...{
    'dashboard-api/src/account/change-password.route.ts': 'the account is read from the log',
    'dashboard-api/src/account/end-other-sessions.route.ts': 'sessions are rows of their own',
    'dashboard-api/src/account/end-session.route.ts': 'sessions are rows of their own',
    'dashboard-api/src/campaigns/preview-campaign.route.ts': 'writes nothing',
    'dashboard-api/src/connectors/create-connector.route.ts': 'connectors are read from the log',
    'dashboard-api/src/connectors/renew-secret.route.ts': 'connectors are read from the log',
    'dashboard-api/src/flows/try-flow.route.ts': 'writes nothing',
    'dashboard-api/src/lists/count-rule.route.ts': 'writes nothing',
    'dashboard-api/src/lists/edit-list.route.ts': 'a rule is read from the log, and its members follow later',
    'dashboard-api/src/people/link-person.route.ts': 'links are rows of their own',
    'dashboard-api/src/system/projections.route.ts': 'the rows of the jobs are the truth',
    'dashboard-api/src/templates/check-template.route.ts': 'writes nothing',
    'dashboard-api/src/templates/preview-template.route.ts': 'writes nothing',
    'dashboard-api/src/webhooks/ask-delivery.route.ts': 'the rows of the deliveries are the truth',
    'dashboard-api/src/webhooks/sign-delivery.route.ts': 'writes nothing',
    'dashboard-api/src/workspace/change-marketing.route.ts': 'settings are read from the log',
    'dashboard-api/src/workspace/set-replies.route.ts': 'settings are read from the log',
  },
}

const READS = /^ *\w+\.get\(/m
const WRITES = /^ *\w+\.(?:post|put|patch|delete)\(/m
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

/** Whether the file, or one of the same part that it imports, waits for the read side. */
function waits(file: string, seen: Set<string> = new Set()): boolean {
  if (seen.has(file)) return false
  seen.add(file)
  const source = read(file)
  if (/\bwaitUntilVisible\(/.test(source)) return true
  const imports = [...source.matchAll(/^(?:import|\}) (?!type ).*?from '(\.[^']+)'/gm)].map(([, path = '']) => join(dirname(file), path))
  return imports.some((path) => waits(path, seen))
}

test('a route that writes answers once reads show it, or stands above with the reason', () => {
  const writing = ROUTES.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).filter((file) => WRITES.test(read(file)))
  expect(writing.length).toBeGreaterThan(80)
  expect(writing.filter((file) => !waits(file)).sort()).toEqual(Object.keys(WAITS_FOR_NONE).sort())
})

test('a read that waits for what it shows says so in its config, from which its document follows, and no other route does', () => {
  const all = ROUTES.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).sort()
  const waiting = all.filter((file) => READS.test(read(file)) && !WRITES.test(read(file)) && waits(file))
  expect(waiting.length).toBeGreaterThan(0)
  expect(all.filter((file) => read(file).includes('waitsForReads: true'))).toEqual(waiting)
})
