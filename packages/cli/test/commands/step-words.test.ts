import type { StepOutcome } from '@tidings/provisioning'
import { expect, it } from 'vitest'
import { stepKind, stepWords } from '../../src/commands/step-words.ts'

const email = { channel: 'email', to: 'dora@acme.example', from: 'hello@acme.example', subject: 'Thanks Dora' } as const
const sms = { channel: 'sms', to: '+972541234567', from: 'ACME', body: 'Thanks', credits: 1 } as const
const push = { channel: 'push', browsers: 2, title: 'Tea is ready' } as const

const CASES: readonly (readonly [StepOutcome, string, string])[] = [
  [{ type: 'waits', minutes: 60 }, 'wait', 'waits 60 minutes'],
  [{ type: 'branches', isMatch: true }, 'branch', 'the rule holds: then'],
  [{ type: 'branches', isMatch: false }, 'branch', 'the rule does not hold: else'],
  [{ type: 'sends', message: email }, 'send', 'mails "Thanks Dora" to dora@acme.example from hello@acme.example'],
  [{ type: 'sends', message: sms }, 'send', 'texts "Thanks", 1 credit, to +972541234567 from ACME'],
  [{ type: 'sends', message: { ...sms, credits: 2 } }, 'send', 'texts "Thanks", 2 credits, to +972541234567 from ACME'],
  [{ type: 'sends', message: push }, 'send', 'shows "Tea is ready" to 2 browsers'],
  [{ type: 'no_address', channel: 'email' }, 'send', 'nothing: the contact has no email address'],
  [{ type: 'no_address', channel: 'sms' }, 'send', 'nothing: the contact has no phone number'],
  [{ type: 'no_address', channel: 'push' }, 'send', 'nothing: the contact has no browser that is registered'],
  [{ type: 'template_gone' }, 'send', 'nothing: the template is archived'],
  [
    { type: 'not_allowed', channel: 'email', refusal: { outcome: 'skipped', reason: 'no_consent' } },
    'send',
    'no mail: skipped, no_consent',
  ],
  [
    { type: 'not_allowed', channel: 'sms', refusal: { outcome: 'suppressed', reason: 'spam_complaint' } },
    'send',
    'no text: suppressed, spam_complaint',
  ],
  [{ type: 'not_rendered', code: 'template_render_failed' }, 'send', 'nothing: the template cannot be rendered (template_render_failed)'],
]

it.each(CASES)('%j is a %s that says "%s"', (outcome, kind, words) => {
  expect([stepKind(outcome), stepWords(outcome)]).toEqual([kind, words])
})
