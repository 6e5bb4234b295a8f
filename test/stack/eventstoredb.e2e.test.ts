import { runBroker } from '@tidings/testing/kafka'
import { runAimed } from './run-aimed.ts'

runAimed((await runBroker()) === null ? 'esdb' : 'esdb+kafka')
