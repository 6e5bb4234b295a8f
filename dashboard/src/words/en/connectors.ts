import { isolated } from '../isolated.ts'

export const connectorsWords = {
  connectors: {
    title: 'Connectors',
    empty: 'A connector lets a shop, a review service or a loyalty programme report what people do there.',
    help: 'Each reports with a secret of its own, and can do nothing else.',
    name: 'Name',
    nameHelp: 'It never changes.',
    acts: 'Actions',
    add: 'New connector',
    create: 'Create connector',
    usage: 'How a shop reports',
    address: 'The address that a connector calls',
    call: 'A call',
    secretTitle: 'Secret of the connector',
    secretHelp: 'Shown this once. The shop sends it in the header X-Connector-Secret.',
    done: 'I have kept it',
    renew: 'New secret',
    renewOf: (name: string) => `New secret: ${isolated(name)}`,
    renewTitle: 'Make a new secret?',
    renewHelp: 'The secret that it has is refused at once.',
  },
}
