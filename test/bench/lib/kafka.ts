import { startTestBroker } from '@tidings/testing/kafka'
import type { Bench } from './bench.ts'

/** A broker on this machine, from the jars of Maven Central; answers its address. Null, said so, where the machine cannot have one. */
export async function startKafka(bench: Bench): Promise<string | null> {
  try {
    const { address, stop } = await startTestBroker()
    bench.after(stop)
    return address
  } catch (error) {
    bench.say(`left out: ${error instanceof Error ? error.message : String(error)}`)
    return null
  }
}
