import { inject } from 'vitest'
import { leftOut } from '../left-out.ts'
import { askForBroker } from './broker-requests.ts'

/**
 * The address of the run's one broker; null, with a line that says why, where this machine cannot have one. Topics and groups must be
 * of the test file's own. Ask at the top of a file: `const kafka = await runBroker()`, `describe.runIf(kafka !== null)`.
 */
export async function runBroker(): Promise<string | null> {
  const answer = await askForBroker(inject('testKafka').url)
  if ('address' in answer) return answer.address
  leftOut('kafka', answer.missing)
  return null
}
