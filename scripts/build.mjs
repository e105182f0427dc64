/** `npm run build`: builds what is stale, once the dependencies are installed. */
import { build } from './setup.mjs';

build();
