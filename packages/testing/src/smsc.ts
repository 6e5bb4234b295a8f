import { once } from 'node:events'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import smpp, { type PDU, type Session } from 'smpp'
import { freePort } from './free-port.ts'

/** One submit_sm as the library decoded it. `udh`: the elements of its user data header. */
type SubmittedSm = Readonly<{
  id: string
  from: string
  to: string
  text: string
  udh: readonly Buffer[]
  fields: Readonly<Record<string, unknown>>
}>

/** `stall`: never answered. `cut`: the connection is cut instead. A status that is not 0 refuses. */
type SubmitRule = number | 'stall' | 'cut'

/** What the SMSC does: without a rule it says yes. May be changed while it runs. */
type SmscRules = {
  /** A command_status for a bind, or none for no answer. */
  bind?: (fields: Readonly<Record<string, unknown>>) => number | null
  submit?: (message: SubmittedSm) => SubmitRule | Promise<SubmitRule>
  /** The id of the nth submit_sm. */
  id?: (n: number) => string
  ignoresEnquiries?: boolean
  /** Writes at most so many bytes at a time. */
  bytesAtOnce?: number
}

/** A real SMSC in this process, of the library's own server and session. */
export type Smsc = Readonly<{
  url: string
  rules: SmscRules
  submitted: SubmittedSm[]
  /** What of it was not refused, whether the answer was given or not. */
  taken: () => readonly SubmittedSm[]
  /** Commands in their order, of all sessions. */
  heard: string[]
  sessions: () => readonly Session[]
  /** Sends a deliver_sm over the newest session; resolves with the command_status of its answer. */
  deliver: (fields: Readonly<Record<string, unknown>>) => Promise<number>
  /** Cuts every connection and closes the port; `start` opens the same port again. */
  stop: () => Promise<void>
  start: () => Promise<void>
}>

/** Starts one on a free port of 127.0.0.1, with TLS where it has a certificate. */
export async function startSmsc(tls: Readonly<{ key: string; cert: string }> | null = null): Promise<Smsc> {
  const state: SmscState = { rules: {}, submitted: [], refused: new Set(), heard: [] }
  const listener = (session: Session) => serve(session, state)
  let server = smpp.createServer(tls ?? {}, listener)
  const port = await freePort()
  const start = async () => {
    server = smpp.createServer(tls ?? {}, listener)
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await start()
  return {
    rules: state.rules,
    submitted: state.submitted,
    heard: state.heard,
    taken: () => state.submitted.filter((sm) => !state.refused.has(sm)),
    url: `${tls === null ? 'smpp' : 'smpps'}://shop:s3cret@127.0.0.1:${port}`,
    sessions: () => server.sessions,
    deliver: (fields) => deliver(server.sessions.at(-1), fields),
    start,
    stop: async () => {
      for (const session of [...server.sessions]) session.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type SmscState = Pick<Smsc, 'rules' | 'submitted' | 'heard'> & Readonly<{ refused: Set<SubmittedSm> }>

function serve(session: Session, state: SmscState): void {
  const { rules, heard } = state
  inPieces(session, rules)
  // A client that goes away in the middle is part of many tests.
  session.on('error', () => session.destroy())
  session.on('pdu', ({ command }: PDU) => heard.push(command))
  session.on('bind_transceiver', (pdu: PDU) => {
    const status = rules.bind === undefined ? 0 : rules.bind(pdu)
    if (status !== null) session.send(pdu.response(status === 0 ? { system_id: 'test' } : { command_status: status }))
  })
  session.on('enquire_link', (pdu: PDU) => rules.ignoresEnquiries || session.send(pdu.response()))
  session.on('unbind', (pdu: PDU) => {
    session.send(pdu.response())
    session.close()
  })
  session.on('submit_sm', (pdu: PDU) => void answerSubmit(session, pdu, state))
}

async function answerSubmit(session: Session, pdu: PDU, { rules, submitted, refused }: SmscState): Promise<void> {
  const { message, udh } = pdu.short_message as { message: string; udh?: readonly Buffer[] }
  const id = rules.id?.(submitted.length) ?? `smsc-${submitted.length}`
  const text = String(message)
  const sm = { id, from: String(pdu.source_addr), to: String(pdu.destination_addr), text, udh: udh ?? [], fields: { ...pdu } }
  submitted.push(sm)
  const rule = (await rules.submit?.(sm)) ?? 0
  if (typeof rule === 'number' && rule !== 0) refused.add(sm)
  if (rule === 'cut') session.destroy()
  else if (rule !== 'stall') session.send(pdu.response(rule === 0 ? { message_id: id } : { command_status: rule }))
}

function deliver(session: Session | undefined, fields: Readonly<Record<string, unknown>>): Promise<number> {
  return new Promise((resolve, reject) => {
    if (session?.deliver_sm({ ...fields }, ({ command_status }) => resolve(command_status)) !== true)
      reject(new Error('no session is open'))
  })
}

/** Makes the session write in pieces where a rule says so, so that its peer reads parts of PDUs. */
function inPieces({ socket }: Session, rules: SmscRules): void {
  const write = socket.write.bind(socket)
  let queue: Promise<unknown> = Promise.resolve()
  const pieces = async (bytes: Buffer, size: number) => {
    for (let at = 0; at < bytes.length && socket.writable; at += size) {
      write(bytes.subarray(at, at + size))
      await yieldToOthers()
    }
  }
  socket.write = ((bytes: Buffer, ...rest: []) => {
    const size = rules.bytesAtOnce
    if (size === undefined) return write(bytes, ...rest)
    queue = queue.then(() => pieces(bytes, size))
    return true
  }) as typeof socket.write
}
