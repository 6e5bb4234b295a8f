import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { freePort } from '@tidings/testing'

/** What the server does with one request. `cut`: it ends the connection before it has read anything, after it has, or in the middle of the answer. */
export type Fault =
  | Readonly<{ status: number; headers?: Readonly<Record<string, string>>; json?: unknown; text?: string }>
  | Readonly<{ cut: 'before' | 'after' | 'within' }>
  /** An answer that never ends: a byte now and then. */
  | Readonly<{ trickle: true }>
  /** Two whole answers to one request. */
  | Readonly<{ twice: unknown }>

type SeenRequest = Readonly<{ method: string; path: string; body: string; headers: IncomingMessage['headers'] }>

/** A run of faults at an address of its own. The last one is that of every later request too. */
type FaultRun = Readonly<{ url: string; seen: readonly SeenRequest[] }>

export type FaultServer = Readonly<{ begin: (faults: readonly Fault[]) => FaultRun; stop: () => Promise<void> }>

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const rawAnswer = (json: unknown): string => {
  const text = JSON.stringify(json)
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}

const trickle = (response: ServerResponse): void => {
  response.writeHead(200, { 'Content-Type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 50)
  response.on('close', () => clearInterval(timer))
}

const act = (fault: Fault, response: ServerResponse): void => {
  const { socket } = response
  if ('trickle' in fault) trickle(response)
  else if ('twice' in fault) socket?.write(rawAnswer(fault.twice) + rawAnswer({ success: true, data: { not: 'asked' } }))
  else if ('cut' in fault) {
    if (fault.cut === 'within')
      socket?.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"success":true')
    socket?.end()
  } else {
    const { status, headers = {}, json, text = json === undefined ? '' : JSON.stringify(json) } = fault
    response.writeHead(status, { ...(json !== undefined && { 'Content-Type': 'application/json' }), ...headers }).end(text)
  }
}

/** An HTTP server that fails as a run says. */
export async function startFaultServer(): Promise<FaultServer> {
  const runs: Readonly<{ faults: readonly Fault[]; seen: SeenRequest[] }>[] = []
  const server = createServer(async (request, response) => {
    const [, index = '', path = ''] = /^\/run-(\d+)(.*)$/.exec(request.url ?? '') ?? []
    const run = runs[Number(index)]
    const fault = run?.faults[Math.min(run.seen.length, run.faults.length - 1)]
    if (run === undefined || fault === undefined) return response.writeHead(500).end()
    const { method = '', headers } = request
    if ('cut' in fault && fault.cut === 'before') {
      run.seen.push({ method, path, body: '', headers })
      return request.socket.destroy()
    }
    const seen = run.seen.push({ method, path, body: '', headers }) - 1
    run.seen[seen] = { method, path, body: await textOf(request), headers }
    act(fault, response)
  })
  const port = await freePort()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    begin: (faults) => {
      const seen: SeenRequest[] = []
      runs.push({ faults, seen })
      return { url: `http://127.0.0.1:${port}/run-${runs.length - 1}`, seen }
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
