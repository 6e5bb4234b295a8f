import '@mantine/core/styles.css'
import '../theme/tokens.css'
import { DirectionProvider, MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { createMemoryRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { resolver, theme } from '../theme/mantine.ts'
import { ZoneProvider } from '../ui/zone.tsx'
import { WordsProvider } from '../words/words.tsx'
import { Sheet } from './sheet.tsx'

// Links of the parts lead to screens, which are not here.
const router = createMemoryRouter([{ path: '/dashboard/w/:slug/*', element: <Sheet /> }], { initialEntries: ['/dashboard/w/shop'] })

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no place for the sheet')
createRoot(root).render(
  <DirectionProvider>
    <MantineProvider theme={theme} cssVariablesResolver={resolver} defaultColorScheme="auto">
      <WordsProvider>
        <ZoneProvider>
          <QueryClientProvider client={new QueryClient()}>
            <RouterProvider router={router} />
          </QueryClientProvider>
        </ZoneProvider>
      </WordsProvider>
    </MantineProvider>
  </DirectionProvider>,
)
