import { startGateway } from '../../e2e/support/gateway.ts'

/** A reverse proxy in a process of its own: `node gateway.ts <command-api> <query-api>…`. Prints where it listens; ends with its stdin. */
const [commandApi = '', ...queryApi] = process.argv.slice(2)
const { url } = await startGateway({ commandApi: () => [commandApi], queryApi: () => queryApi })
process.stdout.write(`${url}\n`)
process.stdin.on('end', () => process.exit(0)).resume()
