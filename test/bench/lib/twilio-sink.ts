import { startTwilioServer } from '../../../packages/testing/src/twilio-server.ts'

// The tests' server of Twilio's API, which takes every message, reports it delivered and forgets it, in a process of its own. Prints its address, and the count of
// messages on every line it reads.
const twilio = await startTwilioServer({ reports: ['delivered'] })
let forgotten = 0

/** What it keeps for tests must not grow for as long as a bench runs. */
const forget = (): void => {
  forgotten += twilio.taken.length
  for (const kept of [twilio.taken, twilio.requests] as unknown[][]) kept.length = 0
}
setInterval(forget, 100).unref()

process.stdout.write(`${twilio.url}\n`)
process.stdin.on('data', () => process.stdout.write(`${forgotten + twilio.taken.length}\n`))
process.stdin.on('end', () => process.exit(0))
