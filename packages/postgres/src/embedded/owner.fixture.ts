import { startEmbedded } from './start-embedded.ts'

/** A process that owns an embedded server, as `tidings start` does: prints the address, then works until SIGTERM; Ctrl-C does not end it. */
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }
try {
  const server = await startEmbedded({ dataDir: process.argv[2] ?? '', log: quiet })
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => void server.stop().then(() => process.exit(0)))
  setInterval(() => undefined, 60_000)
  console.log(server.url)
} catch (error) {
  console.log(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
