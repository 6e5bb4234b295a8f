const words = {
  stop: ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT'],
  start: ['START', 'YES', 'UNSTOP'],
  help: ['HELP', 'INFO'],
} as const

export type SmsKeyword = keyof typeof words

const keywords = new Map<string, SmsKeyword>(
  (Object.keys(words) as SmsKeyword[]).flatMap((keyword) => words[keyword].map((word) => [word, keyword] as const)),
)

/** What an inbound text message asks for, where its whole text is one of the words, in any case (N188); else null. */
export function smsKeyword(text: string): SmsKeyword | null {
  return keywords.get(text.trim().toUpperCase()) ?? null
}
