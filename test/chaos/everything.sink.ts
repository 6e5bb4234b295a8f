import { setTimeout as sleep } from 'node:timers/promises'
import { type SmtpRefusal, type SunkMail, startSmtpSink } from '@tidings/testing/smtp-sink'

/**
 * `slow`: the answer to a mail takes longer than a command may. `greets badly`: no connection gets as far as a mail. `defers`: every
 * recipient is to be tried again later. `refuses`: every mail is refused for the relay's own reasons. `away`: nothing listens.
 */
export type Mood = 'honest' | 'slow' | 'greets badly' | 'defers' | 'refuses' | 'away'

/** What the relay knows of one message. `lost`: when copies came whose answer the sender never got. Times are ms since the epoch. */
export type Relayed = Readonly<{ messageId: string; subject: string; at: readonly number[]; lost: readonly number[]; refused: boolean }>
export type SinkReport = Readonly<{ url: string }> | Readonly<{ mood: Mood }> | Readonly<{ relayed: readonly Relayed[] }>

const SLOW_MS = 15_000
/** An answer that was given this shortly before the connections were cut may not have arrived. */
const CUT_MS = 1_000

type KnownMail = { subject: string; at: number[]; lost: number[]; refused: boolean }

const relayed = new Map<string, KnownMail>()
let mood: Mood = 'honest'
let cuts = 0

const header = (raw: string, name: string): string => new RegExp(`^${name}: (.*)\r$`, 'im').exec(raw)?.[1] ?? ''

const note = ({ raw }: SunkMail): KnownMail => {
  const id = header(raw, 'Message-ID').replace(/^<([^@.]*)[^@]*@.*$/, '$1')
  const known = relayed.get(id) ?? { subject: header(raw, 'Subject'), at: [], lost: [], refused: false }
  relayed.set(id, known)
  return known
}

const take = async (mail: SunkMail): Promise<SmtpRefusal | undefined> => {
  const known = note(mail)
  sink.mails.length = 0
  if (mood === 'refuses') {
    known.refused = true
    return { code: 554, message: '5.7.1 Relay access denied' }
  }
  const at = Date.now()
  known.at.push(at)
  const before = cuts
  if (mood === 'slow') await sleep(SLOW_MS)
  if (cuts !== before) known.lost.push(at)
  return undefined
}

const sink = await startSmtpSink({
  onConnect: (_, done) => {
    done(
      mood === 'greets badly' ? Object.assign(new Error('5.3.2 System not accepting network messages'), { responseCode: 554 }) : undefined,
    )
  },
})
sink.answers.data = take
sink.answers.rcpt = () => (mood === 'defers' ? { code: 451, message: '4.7.1 Greylisted, try again later' } : undefined)

const cut = async (): Promise<void> => {
  cuts++
  const since = Date.now() - CUT_MS
  for (const { at, lost } of relayed.values()) lost.push(...at.filter((time) => time >= since))
  await sink.stop()
}

const change = async (to: Mood): Promise<void> => {
  const was = mood
  mood = to
  if (to === 'away' && was !== 'away') await cut()
  if (to !== 'away' && was === 'away') await sink.start()
}

const report = (received: SinkReport) => process.send?.(received)
process.on('message', async (asked: Mood | 'tell') => {
  if (asked === 'tell') return report({ relayed: [...relayed].map(([messageId, known]) => ({ messageId, ...known })) })
  await change(asked)
  report({ mood: asked })
})
process.on('disconnect', () => process.exit(0))
report({ url: sink.url })
