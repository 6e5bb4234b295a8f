import { runBroker } from '@tidings/testing/kafka'
import { runAimed } from './run-aimed.ts'

// The roles run apart even without a broker, whose absence is reported, or is a failure, as TIDINGS_TEST_REQUIRE says.
runAimed((await runBroker()) === null ? 'roles' : 'kafka')
