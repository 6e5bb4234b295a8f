import { dockerAnswers } from '../eventstoredb/container.ts'
import { startTestBroker } from './broker.ts'
import { startBrokerContainer } from './container.ts'
import { isReady } from './ready.ts'
import { KafkaSetupError } from './setup-error.ts'

export type FoundBroker = Readonly<{ address: string; stop: () => Promise<void> }>

const GIVEN_LOOKS = 10

/** The broker that TIDINGS_TEST_KAFKA names, else one from the jars of Maven Central, else one in a container. */
export async function findBroker(env: Readonly<Record<string, string | undefined>> = process.env): Promise<FoundBroker> {
  const given = env.TIDINGS_TEST_KAFKA
  if (given) {
    // One look gives up after two seconds, which a busy machine uses up.
    for (let looks = 0; looks < GIVEN_LOOKS; looks++) if (await isReady(given, null)) return { address: given, stop: async () => undefined }
    throw new KafkaSetupError('START_FAILED', `no broker answers at ${given}, which TIDINGS_TEST_KAFKA names.`)
  }
  try {
    return await startTestBroker()
  } catch (error) {
    if (!(await dockerAnswers())) throw error
    return await startBrokerContainer()
  }
}
