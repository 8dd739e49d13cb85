/** MapLibre, loaded only by pages that show a map; its worker is a file of ours, as the security policy asks. */
import 'maplibre-gl/dist/maplibre-gl.css';
import maplibregl from 'maplibre-gl/dist/maplibre-gl-csp';
import worker from 'maplibre-gl/dist/maplibre-gl-csp-worker.js?url';

maplibregl.setWorkerUrl(worker);

export default maplibregl;
