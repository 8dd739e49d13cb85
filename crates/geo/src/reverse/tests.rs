//! Points that are known, and towns at their own centres.

use super::search::quick_radius;
use super::*;
use crate::gazetteer::Place;

fn at(lat: f64, lon: f64) -> Spot {
    reverse(Gazetteer::embedded(), LatLon::new(lat, lon).unwrap())
}

fn check(lat: f64, lon: f64, country: &str, admin1: &str) {
    let spot = at(lat, lon);
    assert_eq!(spot.country.map_or("", Country::code), country, "{lat},{lon}: {}", spot.describe());
    if !admin1.is_empty() {
        assert_eq!(spot.admin1.map_or("", Place::name), admin1, "{lat},{lon}: {}", spot.describe());
    }
}

#[test]
fn countries_and_areas_are_those_that_contain_the_point() {
    for (lat, lon, country, admin1) in [
        (54.3233, 10.1228, "DE", "Schleswig-Holstein"),
        (62.6010, 29.7636, "FI", "North Karelia"),
        (48.8566, 2.3522, "FR", "Île-de-France"),
        (51.5072, -0.1276, "GB", "England"),
        (41.9028, 12.4964, "IT", "Lazio"),
        (40.4168, -3.7038, "ES", "Madrid"),
        (34.0522, -118.2437, "US", "California"),
        (-33.8688, 151.2093, "AU", "New South Wales"),
        (55.7558, 37.6173, "RU", ""),
        (35.6762, 139.6503, "JP", "Tokyo"),
    ] {
        check(lat, lon, country, admin1);
    }
}

#[test]
fn points_near_borders_lie_on_their_own_side() {
    for (lat, lon, country) in [
        (47.5450, 7.6000, "CH"),   // Basel, a kilometre or two from France and Germany
        (47.6150, 7.6650, "DE"),   // Lörrach
        (47.5900, 7.5500, "FR"),   // Saint-Louis
        (50.7700, 6.0300, "DE"),   // Aachen, Vaals is Dutch
        (31.7750, -106.460, "US"), // El Paso
        (31.6900, -106.424, "MX"), // Ciudad Juárez
        (61.0550, 28.1900, "FI"),  // Lappeenranta
        (60.7100, 28.7500, "RU"),  // Vyborg
        (36.1408, -5.3536, "GI"),  // Gibraltar
        (45.9400, 8.9700, "CH"),   // Lugano's southern bay, near Campione
    ] {
        check(lat, lon, country, "");
    }
}

#[test]
fn enclaves_are_not_their_surroundings() {
    for (lat, lon, country) in [
        (41.9022, 12.4533, "VA"),
        (43.9424, 12.4578, "SM"),
        (-29.6100, 28.2336, "LS"),
        (43.7384, 7.4246, "MC"),
        (47.1410, 9.5209, "LI"),
        (42.4640, 1.9800, "ES"),   // Llívia in France
        (35.8890, -5.3160, "ES"),  // Ceuta in Africa
        (54.7100, 20.5100, "RU"),  // Kaliningrad
        (39.2090, 45.4120, "AZ"),  // Nakhchivan
        (-5.5600, 12.1900, "AO"),  // Cabinda
        (48.9850, -123.060, "US"), // Point Roberts
        (47.5800, 10.4500, "AT"),  // Jungholz
        (41.9050, 12.4600, "IT"),  // a street from the Vatican
        (-90.0, 0.0, "AQ"),
    ] {
        check(lat, lon, country, "");
    }
}

#[test]
fn islands_and_points_off_the_coast_belong_to_the_land_there_and_the_open_sea_to_none() {
    for (lat, lon, country) in [
        (54.1800, 7.8850, "DE"),
        (60.0973, 19.9348, "AX"),
        (28.2916, -16.6291, "ES"),
        (-17.7134, 178.0650, "FJ"),
        (-16.8, -179.99, "FJ"),
    ] {
        check(lat, lon, country, "");
    }
    let off = at(54.4600, 10.2900);
    assert!(matches!(off.ground, Ground::OffCoast(km) if km < 10.0), "{off:?}");
    assert_eq!(off.country.map(Country::code), Some("DE"));
    let sea = at(45.0, -35.0);
    assert_eq!((sea.ground, sea.country, sea.town), (Ground::OpenSea, None, None));
    assert_eq!(sea.describe(), "open sea");
}

#[test]
fn nearly_every_town_of_the_world_lies_in_its_own_country_and_area() {
    let gazetteer = Gazetteer::embedded();
    for (least, countries, areas) in [(20_000, 0.9995, 0.995), (1_000, 0.999, 0.99)] {
        let towns = gazetteer.places().filter(|place| place.kind() == Kind::Town && place.population() >= least);
        let towns: Vec<(Place, Spot)> = towns.map(|town| (town, reverse(gazetteer, town.at()))).collect();
        let share = |agrees: &dyn Fn(&Place, &Spot) -> bool| {
            towns.iter().filter(|(town, spot)| agrees(town, spot)).count() as f64 / towns.len() as f64
        };
        let own_country = share(&|town, spot| spot.country == town.country());
        let own_area = share(&|town, spot| spot.admin1 == town.admin1());
        assert!(towns.len() > 20_000 && own_country >= countries && own_area >= areas, "{own_country} {own_area}");
        let agree = share(&|_, spot| {
            let town = spot.town;
            town.is_none_or(|town| town.country() == spot.country)
                && town.and_then(Place::admin1).is_none_or(|area| spot.admin1 == Some(area))
        });
        assert!(agree == 1.0, "{agree}");
    }
}

#[test]
fn at_a_border_the_town_says_on_which_side_a_point_is() {
    for (lat, lon, country, town) in [
        (31.758_72, -106.486_93, "US", "El Paso"),
        (47.660_33, 9.175_82, "DE", "Konstanz"),
        (36.144_74, -5.352_57, "GI", "Gibraltar"),
        (47.6966, 8.69, "DE", "Büsingen"),
        (45.9686, 8.9708, "IT", "Campione"),
        (51.4050, 4.8920, "BE", "Baarle-Hertog"),
        (15.3805, 109.1180, "VN", "Lý Sơn"),
        (40.7178, -74.0431, "US", "Jersey City"),
        (42.3180, -83.0400, "CA", "Windsor"), // 400 m from the border in the river, far from its centre
        (32.5430, -117.0290, "US", ""),
    ] {
        let spot = at(lat, lon);
        assert_eq!(spot.country.map_or("", Country::code), country, "{lat},{lon}: {}", spot.describe());
        assert!(spot.town.map_or("", Place::name).starts_with(town), "{lat},{lon}: {}", spot.describe());
    }
    check(45.4280, -75.7100, "CA", "Quebec");
    check(40.7178, -74.0431, "US", "New Jersey");
    check(38.627_27, -90.197_89, "US", "Missouri");
    check(32.460_98, -84.987_71, "US", "Georgia");
}

#[test]
fn the_town_is_the_one_whose_influence_is_largest_not_the_nearest() {
    for (lat, lon, town) in [
        (54.3165, 10.0800, "Kiel"), // Kronshagen's centre is closer
        (54.3336, 10.0870, "Kronshagen"),
        (53.1412, 8.2147, "Oldenburg"),
        (48.8620, 2.2870, "Paris"),
        (60.1699, 24.9384, "Helsinki"),
        (60.2055, 24.6559, "Espoo"),
        (51.5300, -0.1500, "London"),
    ] {
        let spot = at(lat, lon);
        assert_eq!(spot.town.map_or("", Place::name), town, "{lat},{lon}: {spot:?}");
    }
}

#[test]
fn the_quick_radius_is_nearly_the_exact_one() {
    for population in [0, 1, 500, 1_000, 4_321, 252_668, 3_500_000, 24_874_500] {
        let (quick, exact) = (quick_radius(population), town_radius(population));
        assert!((quick / exact - 1.0).abs() < 0.02, "{population}: {quick} {exact}");
    }
}

#[test]
fn the_nearest_town_may_lie_across_the_date_line() {
    for (lat, lon, km) in [(-16.8, 179.98, 80.0), (-16.85, -179.97, 80.0)] {
        let spot = at(lat, lon);
        assert!(spot.nearest.is_some_and(|(_, away)| away < km), "{lat},{lon}: {} {:?}", spot.describe(), spot.nearest);
    }
}

#[test]
fn far_from_any_town_the_area_is_given_and_the_nearest_town_named() {
    let spot = at(68.2, 28.3);
    assert_eq!((spot.town, spot.country.map(Country::code)), (None, Some("FI")), "{}", spot.describe());
    assert!(spot.nearest.is_some_and(|(_, km)| km > 10.0));
    assert!(spot.describe().contains(" km from "), "{}", spot.describe());
    let desert = at(23.5, 4.5);
    assert_eq!((desert.town, desert.country.map(Country::code)), (None, Some("DZ")));
}

#[test]
fn every_point_of_the_world_has_an_answer() {
    for lat in -90..=90 {
        for lon in -180..=180 {
            let _ = at(f64::from(lat), f64::from(lon)).describe();
        }
    }
}
