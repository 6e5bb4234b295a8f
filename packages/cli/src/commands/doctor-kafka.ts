import type { Config } from '@tidings/config'
import { kafkaSettings } from '@tidings/service/kafka'

/** Connects to each broker as the service would, logs in, and asks it for its cluster; throws one sentence when that fails. */
export async function checkKafka(config: Pick<Config, 'kafka'>): Promise<string> {
  const settings = await kafkaSettings(config)
  if (settings === null) return 'consumers read the log directly'
  const { probeKafka } = await import('@tidings/bus/kafka')
  return await probeKafka(settings)
}
