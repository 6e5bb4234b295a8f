export type Tone = 'good' | 'bad' | 'warning' | 'quiet' | 'moving'

/** The states that the API names; another one is quiet. */
const WORDS: Readonly<Record<Tone, readonly string[]>> = {
  good: ['ok', 'subscribed', 'sent', 'delivered', 'active', 'valid', 'verified', 'approved', 'found', 'finished', 'live'],
  bad: ['cleaned', 'bounced', 'complained', 'failed', 'blocked', 'invalid', 'dropped', 'rejected', 'different', 'lost', 'blocklisted'],
  warning: [
    'suppressed',
    'skipped',
    'paused',
    'suspended',
    'risky',
    'retrying',
    'pending',
    'absent',
    'unanswered',
    'silent',
    'stopped',
    'open',
  ],
  quiet: ['unsubscribed', 'never_subscribed', 'draft', 'cancelled', 'revoked', 'retired', 'closed', 'unknown'],
  moving: ['queued', 'sending', 'scheduled', 'waits', 'running', 'catching up', 'rebuilding', 'starting', 'redriving'],
}

const TONES: readonly Tone[] = ['good', 'bad', 'warning', 'moving']

/** Stands before the word: nothing is said by a colour alone. */
export const SIGNS: Readonly<Record<Tone, string>> = { good: '●', bad: '✕', warning: '▲', quiet: '○', moving: '◌' }

export function toneOf(word: string): Tone {
  return TONES.find((tone) => WORDS[tone].includes(word)) ?? 'quiet'
}

/** A message that may still change by itself: its screen asks again. */
export function isMoving(status: string): boolean {
  return toneOf(status) === 'moving'
}
