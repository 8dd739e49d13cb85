/** MapLibre's build that takes its worker from a file of its own has the types of the usual one. */
declare module 'maplibre-gl/dist/maplibre-gl-csp' {
  import maplibregl from 'maplibre-gl';
  export default maplibregl;
}
