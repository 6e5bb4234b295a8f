import { readFile } from 'node:fs/promises'
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { authorityFile, parseConnectionString } from './connection-string.ts'

const TIMEOUT_MS = 2_000
const DEFAULT_PORT = 2113

type Server = Readonly<{ host: string; port: number }>

/**
 * Names the option to write when the server's port and the connection string disagree about TLS, or when the server's certificate is not
 * accepted; null for any other cause. gRPC itself says only that it could not connect.
 */
export async function tlsHint(connectionString: string): Promise<string | null> {
  const parsed = parseConnectionString(connectionString)
  const { servers, option } = parsed
  const isTls = option('tls')?.toLowerCase() !== 'false'
  const ca = isTls ? await authority(authorityFile(parsed)) : undefined
  const hints = await Promise.all(servers.split(',').map((server) => hintFor(serverOf(server), { isTls, ca })))
  return hints.find((hint) => hint !== null) ?? null
}

const authority = (file: string | undefined): Promise<Buffer | undefined> =>
  file === undefined ? Promise.resolve(undefined) : readFile(file).catch(() => undefined)

const serverOf = (text: string): Server => {
  const [host = '', port] = text.split(':')
  return { host, port: port === undefined ? DEFAULT_PORT : Number(port) }
}

type TlsSettings = Readonly<{ isTls: boolean; ca: Buffer | undefined }>

const hintFor = async (server: Server, { isTls, ca }: TlsSettings): Promise<string | null> => {
  const place = `${server.host}:${server.port}`
  if (!isTls) return (await handshake(server, undefined)) === 'failed' ? null : `${place} speaks TLS: write tls=true instead of tls=false`
  if (await speaksPlainHttp2(server)) return `${place} does not speak TLS: write tls=false instead of tls=true`
  const result = await handshake(server, ca)
  if (result === 'failed' || result === 'trusted') return null
  if (result === 'ERR_TLS_CERT_ALTNAME_INVALID') return `the certificate of ${place} is for another name: write the name that is in it`
  return `the certificate of ${place} is not trusted (${result}): name the file of its authority in tlsCAFile`
}

/** The code of what is wrong with the certificate, where the server speaks TLS; `failed` where it does not. */
const handshake = ({ host, port }: Server, ca: Buffer | undefined): Promise<string> =>
  new Promise((resolve) => {
    const name = isIP(host) === 0 ? { servername: host } : {}
    const socket = connectTls({ host, port, ...name, ...(ca && { ca }), ALPNProtocols: ['h2'], rejectUnauthorized: false })
    const end = ending(socket, resolve)
    socket.on('secureConnect', () => end(socket.authorized ? 'trusted' : codeOf(socket.authorizationError)))
    socket.on('error', () => end('failed'))
    socket.on('close', () => end('failed'))
    socket.setTimeout(TIMEOUT_MS, () => end('failed'))
  })

/** Node types it as an Error, and gives a code. */
const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : String(error)

const PREFACE = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])])
const SETTINGS_FRAME = 4

/** Whether the server answers the preface of HTTP/2 (RFC 9113, 3.4) in clear, which begins with its settings. */
const speaksPlainHttp2 = ({ host, port }: Server): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connectPlain({ host, port }, () => socket.write(PREFACE))
    const end = ending(socket, resolve)
    socket.once('data', (bytes) => end(bytes[3] === SETTINGS_FRAME))
    socket.on('error', () => end(false))
    socket.on('close', () => end(false))
    socket.setTimeout(TIMEOUT_MS, () => end(false))
  })

const ending =
  <Result>(socket: Socket, resolve: (result: Result) => void) =>
  (result: Result): void => {
    resolve(result)
    socket.destroy()
  }
