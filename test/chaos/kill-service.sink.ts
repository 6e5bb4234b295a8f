import { startSmtpSink } from '@tidings/testing/smtp-sink'

/** What the sink took of one message: when each copy came, in milliseconds since the epoch, and which of them the sender got no answer for. */
export type TakenMail = Readonly<{ messageId: string; subject: string; at: readonly number[]; lost?: readonly number[] }>
export type SinkMessage = Readonly<{ url: string }> | Readonly<{ taken: readonly TakenMail[] }>

const header = (raw: string, name: string): string => new RegExp(`^${name}: (.*)\r$`, 'im').exec(raw)?.[1] ?? ''

/** An SMTP server in a process of its own: it notes every mail before it says yes, and tells what it has when it is asked. */
const taken = new Map<string, { subject: string; at: number[] }>()
const sink = await startSmtpSink()
sink.answers.data = ({ raw }) => {
  const id = header(raw, 'Message-ID').replace(/^<([^@.]*)[^@]*@.*$/, '$1')
  const known = taken.get(id) ?? { subject: header(raw, 'Subject'), at: [] }
  known.at.push(Date.now())
  taken.set(id, known)
  sink.mails.length = 0
  return undefined
}
const tell = (message: SinkMessage) => process.send?.(message)
process.on('message', () => tell({ taken: [...taken].map(([messageId, mail]) => ({ messageId, ...mail })) }))
process.on('disconnect', () => process.exit(0))
tell({ url: sink.url })
