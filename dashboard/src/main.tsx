import '@mantine/core/styles.css'
import './theme/tokens.css'
import { DirectionProvider, MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { setNonce } from 'get-nonce'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router/dom'
import { watchPresence } from './api/polling.ts'
import { watchMissingParts } from './app/missing-part.ts'
import { createQueryClient } from './app/query-client.ts'
import { createRouter } from './routes.tsx'
import { resolver, theme } from './theme/mantine.ts'
import { ZoneProvider } from './ui/zone.tsx'
import { WordsProvider } from './words/words.tsx'

// The page's policy takes no style element without it.
const nonce = document.querySelector<HTMLMetaElement>('meta[name=nonce]')?.content ?? ''
setNonce(nonce)
watchPresence(window)
watchMissingParts(window)

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no place for the dashboard')
createRoot(root).render(
  <DirectionProvider>
    <MantineProvider theme={theme} cssVariablesResolver={resolver} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <WordsProvider>
        <ZoneProvider>
          <QueryClientProvider client={createQueryClient()}>
            <RouterProvider router={createRouter()} />
          </QueryClientProvider>
        </ZoneProvider>
      </WordsProvider>
    </MantineProvider>
  </DirectionProvider>,
)
