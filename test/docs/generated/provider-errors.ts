import { MAILGUN_ANSWERS, SES_ANSWERS, TWILIO_ERRORS, TWILIO_STATUSES } from '@tidings/providers'
import { table } from '../markdown.ts'

const FAILURES: Readonly<Record<string, string>> = {
  recipient: '`recipient`: final, the number cannot be reached',
  refused: '`refused`: final, `provider_rejected`',
  temporary: '`temporary`: tried again later',
  unconfirmed: '`unconfirmed`: tried once more later',
  outage: '`outage`: sending pauses, the message has lost nothing',
  'rate limit': 'sent again later, behind others',
}

const shown = (text: string): string => FAILURES[text] ?? text

/** What an error code of Twilio means in an answer, and in a later report. */
export function smsErrors(): string {
  const rows = TWILIO_ERRORS.map(({ code, means, sending, receipt }) => [
    `\`${code}\``,
    means,
    sending === null ? '–' : shown(sending),
    receipt === null ? '–' : `failed, \`${receipt}\``,
  ])
  return table(['code', 'means', 'in the answer', 'in a report'], rows)
}

/** What the HTTP status means where the code is unknown. */
export function smsStatuses(): string {
  return table(
    ['HTTP', 'means', 'in the answer'],
    TWILIO_STATUSES.map((row) => [row.shown, row.means, shown(row.sending)]),
  )
}

/** What an answer of Mailgun means; the first that fits counts. */
export function mailgunAnswers(): string {
  return mailAnswers(MAILGUN_ANSWERS)
}

/** The same of Amazon SES. */
export function sesAnswers(): string {
  return mailAnswers(SES_ANSWERS)
}

type AnswerRow = Readonly<{ shown: string; means: string; sending: string }>

function mailAnswers(answers: readonly AnswerRow[]): string {
  const rows = answers.map(({ shown: answer, means, sending }) => [
    answer,
    means,
    sending === 'recipient' ? '`recipient`: final, a hard bounce' : shown(sending),
  ])
  return table(['answer', 'means', 'the mail'], rows)
}
