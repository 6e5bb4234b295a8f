import { runBroker } from '@tidings/testing/kafka'
import { runAimed } from './run-aimed.ts'

// Without a broker (its absence is reported, or is a failure, as TIDINGS_TEST_REQUIRE says) the roles still run apart.
runAimed((await runBroker()) === null ? 'roles' : 'kafka')
