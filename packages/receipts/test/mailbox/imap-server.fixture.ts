import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** `uids`: of the folder's mails, ascending. `stallsAt`: the command that gets no answer but `* OK`, again and again. */
export type ImapFolder = { uids: number[]; uidValidity: number; uidNext?: number; stallsAt?: string; beforeSearch?: () => void }

/** An IMAP server with what real ones do not let a test have: any UIDs, no UIDNEXT, an answer that never comes. Answers what `list` asks. */
export async function startImapServer(folder: ImapFolder) {
  const commands: string[] = []
  const lines: number[] = []
  const answer = (socket: Socket, command: string): void => {
    const say = (line: string): void => {
      lines.push(line.length)
      socket.write(`${line}\r\n`)
    }
    const [tag, ...rest] = command.split(' ')
    const asked = rest.join(' ')
    commands.push(asked)
    if (folder.stallsAt !== undefined && asked.startsWith(folder.stallsAt)) {
      const timer = setInterval(() => say('* OK still here'), 5)
      socket.on('close', () => clearInterval(timer))
      return
    }
    for (const line of untagged(folder, asked)) say(line)
    say(`${tag} OK done`)
    if (asked.startsWith('LOGOUT')) socket.end()
  }
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.setNoDelay(true))
    socket.on('error', () => undefined)
    socket.write('* OK [CAPABILITY IMAP4rev1] ready\r\n')
    let rest = ''
    socket.setEncoding('latin1').on('data', (text: string) => {
      const all = (rest + text).split('\r\n')
      rest = all.pop() ?? ''
      for (const command of all) answer(socket, command)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `imap://bounces:s3cret@127.0.0.1:${(server.address() as AddressInfo).port}?tls=off`,
    commands,
    /** Lengths of what it said, in characters. */
    lines,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function untagged(folder: ImapFolder, asked: string): readonly string[] {
  const { uids, uidValidity, uidNext } = folder
  if (asked.startsWith('CAPABILITY')) return ['* CAPABILITY IMAP4rev1']
  if (asked.startsWith('LIST') || asked.startsWith('LSUB')) return ['* LIST () "/" INBOX']
  if (asked.startsWith('SELECT')) {
    const next = uidNext === undefined ? [] : [`* OK [UIDNEXT ${uidNext}] next`]
    return [`* ${uids.length} EXISTS`, '* 0 RECENT', '* FLAGS ()', `* OK [UIDVALIDITY ${uidValidity}] valid`, ...next]
  }
  const fetched = /^FETCH (\d+) /.exec(asked)
  if (fetched !== null) {
    const uid = uids[Number(fetched[1]) - 1]
    return uid === undefined ? [] : [`* ${fetched[1]} FETCH (UID ${uid})`]
  }
  const searched = /^UID SEARCH (\d+):(\d+)/.exec(asked)
  if (searched === null) return []
  folder.beforeSearch?.()
  return [`* SEARCH ${folder.uids.slice(Number(searched[1]) - 1, Number(searched[2])).join(' ')}`]
}
